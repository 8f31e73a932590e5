import { describe, expect, it } from 'vitest';
import type { StepEvent } from '../../../../schemas/generated/step-event.ts';
import type { JsonObject } from '../../../../src/ingest/exact-number.ts';
import { atif } from '../../../../src/ingest/importers/atif.ts';
import { agentStep, failedTrial, trajectory, trial, userStep, type Value } from './atif-samples.ts';
import { eventsOf, floatsOf, idsOf, importedDocument, only, refusalOf } from './imported.ts';

const extraOf = (event: StepEvent | undefined) => JSON.parse(event?.extra_json ?? 'null');
const endOf = (events: readonly StepEvent[]) => only(events, 'end')[0]?.end;
const verdictOf = (events: readonly StepEvent[]) => only(events, 'verdict')[0]?.verdict;
const raised = (exception_type: string, occurred_at = '2026-03-01T10:02:30.000000') => ({
  exception_info: { exception_type, exception_message: 'm', occurred_at },
});

async function withTrajectory(document: Value, result: Value): Promise<readonly StepEvent[]> {
  const taken = await importedDocument(atif, { 'agent/trajectory.json': document, 'result.json': result });
  if ('refused' in taken) throw new Error(taken.refused.message);
  return taken.events;
}

describe('three facts stay three', () => {
  it('an agent that timed out has the reward that its verifier gave', async () => {
    const events = await eventsOf(atif, [trial]);
    expect(endOf(events)).toMatchObject({
      reasons: [{ raw: 'AgentTimeoutError', system: 'harbor', after_end: false }],
      exception: { type: 'AgentTimeoutError', message: 'Agent execution timed out after 60.0 seconds' },
    });
    expect(verdictOf(events)).toMatchObject({ scorer: 'harbor', status: 'scored', rewards: { reward: 1, style: 0.5 } });
  });

  it('an environment that never came up is a rollout without a call, and nothing was verified', async () => {
    const events = await eventsOf(atif, [failedTrial]);
    expect(events.map(({ kind }) => kind)).toEqual(['start', 'phase', 'end', 'verdict']);
    expect(endOf(events)?.reasons).toMatchObject([{ raw: 'EnvironmentStartTimeoutError', system: 'harbor' }]);
    expect(verdictOf(events)).toMatchObject({ status: 'not_run', rewards: {} });
  });

  it('an agent that returned ended by itself', async () => {
    const events = await eventsOf(atif, [{ ...trial, exception_info: null }]);
    expect(endOf(events)).toMatchObject({ reasons: [{ raw: 'completed', system: 'harbor' }], exception: null });
    const none = await eventsOf(atif, [{ ...trial, exception_info: null, agent_result: null, agent_execution: null }]);
    expect(endOf(none)?.reasons).toMatchObject([{ raw: '' }]);
  });

  it.each([
    ['VerifierTimeoutError', 'timeout'],
    ['RewardFileNotFoundError', 'missing'],
    ['RewardFileEmptyError', 'missing'],
    ['VerifierOutputParseError', 'parse_error'],
    ['DownloadVerifierDirError', 'crash'],
  ])('%s is of the verifier: %s, without a reward, beside a loop that ended by itself', async (type, status) => {
    const events = await eventsOf(atif, [{ ...trial, verifier_result: null, ...raised(type) }]);
    expect(endOf(events)).toMatchObject({
      reasons: [{ raw: 'completed' }, { raw: type, after_end: false }],
      exception: null,
    });
    expect(verdictOf(events)).toMatchObject({ status, rewards: {} });
  });

  it('what is raised once the verifier has answered decides nothing', async () => {
    const events = await eventsOf(atif, [{ ...trial, ...raised('DockerStopError') }]);
    expect(endOf(events)?.reasons).toMatchObject([{ raw: 'completed' }, { raw: 'DockerStopError', after_end: true }]);
    expect(verdictOf(events)?.status).toBe('scored');
  });

  it('an exception without a class, and a verifier that began and left nothing, are not guessed', async () => {
    const events = await eventsOf(atif, [
      { ...trial, verifier_result: null, exception_info: { exception_type: null, message: 'm' } },
    ]);
    expect(endOf(events)).toMatchObject({ reasons: [{ raw: '', detail: 'm' }] });
    expect(verdictOf(events)?.status).toBe('missing');
  });
});

describe('rewards', () => {
  const verdict = async (verifier_result: unknown) =>
    verdictOf(await eventsOf(atif, [{ ...trial, exception_info: null, verifier_result }]));

  it('that are missing are not 0', async () => {
    expect(await verdict({ rewards: null })).toMatchObject({ status: 'missing', rewards: {} });
    expect(await verdict({ rewards: {} })).toMatchObject({ status: 'missing', rewards: {} });
    expect(await verdict({ rewards: { reward: null } })).toMatchObject({
      status: 'missing',
      rewards: { reward: null },
    });
    expect(await verdict({ rewards: { reward: 0 } })).toMatchObject({ status: 'scored', rewards: { reward: 0 } });
    expect(await verdict({ reward: 0.5 })).toMatchObject({ status: 'scored', rewards: { reward: 0.5 } });
  });

  it('that are no numbers: NaN is null, and stands in the report; a text is refused by its name', async () => {
    const line = JSON.stringify({ ...trial, verifier_result: { rewards: { reward: 7.5 } } }).replace('7.5', 'NaN');
    const said = verdictOf(await eventsOf(atif, [line]));
    expect(said).toMatchObject({ status: 'scored', rewards: { reward: null } });
    expect(said?.report_json).toBe('{"rewards":{"reward":{"$number":"NaN"}}}');
    expect(await refusalOf(atif, { ...trial, verifier_result: { rewards: { 'a.b': 'high' } } })).toMatchObject({
      field: 'verifier_result.rewards.a.b',
      expected: 'a number or null',
    });
  });
});

describe('phases', () => {
  it('have their times, and the remark that these had no zone', async () => {
    const events = await eventsOf(atif, [trial]);
    const at = (minutes: number) => Date.UTC(2026, 2, 1, 10) * 1000 + minutes * 60_000_000;
    expect(
      only(events, 'phase').map(({ phase, started_at, ended_at, seq }) => [
        phase?.phase,
        phase?.detail,
        started_at,
        ended_at,
        seq,
      ]),
    ).toEqual([
      ['sandbox_setup', 'environment_setup', at(0), at(0.5), 1],
      ['agent_setup', 'agent_setup', at(0.5), at(1), 2],
      ['other', 'agent_execution', at(1), at(2), 3],
      ['verify', 'verifier', at(2) + 500_000, at(3), null],
    ]);
    expect(extraOf(only(events, 'phase')[0])).toEqual({
      times: {
        started_at: '2026-03-01T10:00:00.000000',
        finished_at: '2026-03-01T10:00:30.000000',
        note: 'naive',
      },
    });
    const zoned = { ...trial, agent_setup: { started_at: '2026-03-01T10:00:30Z', finished_at: null } };
    expect(only(await eventsOf(atif, [zoned]), 'phase')[1]).toMatchObject({ ended_at: null, extra_json: null });
  });
});

describe('ids of a trial', () => {
  const detail = (prompts: number[][], completions: number[][], logprobs: unknown = null) => ({
    prompt_token_ids: prompts,
    completion_token_ids: completions,
    logprobs,
  });
  const result = (rollout_details: unknown) => ({ ...trial, agent_result: { rollout_details } });
  const two = trajectory([userStep(1), agentStep(2, 'a', null), agentStep(3, 'b', null)]);

  it('are those of its calls, one by one, where they are as many', async () => {
    const events = await withTrajectory(two, result([detail([[1], [1, 2, 3]], [[2], [4]], [[-1], [-2]])]));
    const calls = only(events, 'model_call').map(({ model_call }) => model_call);
    expect(
      calls.map((call) => [call?.prompt_prefix_len, idsOf(call?.prompt_delta_ids), idsOf(call?.completion_ids)]),
    ).toEqual([
      [0, [1], [2]],
      [2, [3], [4]],
    ]);
    expect(calls.map((call) => floatsOf(call?.completion_logprobs))).toEqual([[-1], [-2]]);
    expect(extraOf(only(events, 'end')[0]).rollout_details).toBeUndefined();
  });

  it('are kept whole where they are not as many, or say other than the steps do', async () => {
    const details = [detail([[1]], [[2]])];
    const few = await withTrajectory(two, result(details));
    expect(only(few, 'model_call').map(({ model_call }) => model_call?.completion_ids)).toEqual([null, null]);
    expect(extraOf(only(few, 'end')[0]).rollout_details).toEqual(details);

    const metrics = { prompt_token_ids: [1], completion_token_ids: [9] };
    const own = trajectory([agentStep(1, 'a', null, { metrics })]);
    const differ = await withTrajectory(own, result(details));
    expect(idsOf(only(differ, 'model_call')[0]?.model_call?.completion_ids)).toEqual([9]);
    expect(extraOf(only(differ, 'end')[0]).rollout_details).toEqual(details);
    const same = await withTrajectory(own, result([detail([[1]], [[9]])]));
    expect(extraOf(only(same, 'end')[0]).rollout_details).toBeUndefined();
  });

  it('are calls of their own where the agent left no trajectory', async () => {
    const events = await eventsOf(atif, [result([{ ...detail([[1], [1, 2]], [[2], [3]]), extra: { e: 1 } }])]);
    expect(only(events, 'model_call').map(({ model_call }) => idsOf(model_call?.completion_ids))).toEqual([[2], [3]]);
    expect(extraOf(only(events, 'end')[0]).rollout_details).toEqual([{ extra: { e: 1 } }]);
  });

  it('that are none are refused by their place', async () => {
    expect((await refusalOf(atif, result([detail([[1]], [[-2]])])))?.field).toBe(
      'agent_result.rollout_details[0].completion_token_ids[0][0]',
    );
    expect((await refusalOf(atif, result({})))?.field).toBe('agent_result.rollout_details');
  });
});

describe('who it is', () => {
  it('is the id of the trial; several trials of a task are no group', async () => {
    const events = await eventsOf(atif, [trial, failedTrial]);
    expect([
      ...new Set(
        events.map(({ rollout_id, task_id, group_id, env_name }) => [rollout_id, task_id, group_id, env_name].join()),
      ),
    ]).toEqual([`${trial.id},state-file,,state-tasks`, `${failedTrial.id},state-file,,state-tasks`]);
    const [unnamed] = await eventsOf(atif, [{ ...trial, id: null, source: null }]);
    expect(unnamed).toMatchObject({ rollout_id: 'state-file__abc', env_name: 'atif' });
  });

  it('is of the run that its job is, unless the user names another', async () => {
    const runOf = async (result: Value, runId?: string) => {
      const overrides: JsonObject = runId === undefined ? {} : { run_id: runId };
      const [start] = await eventsOf(atif, [result], { runId: runId ?? 'agent', overrides });
      return start?.run_id;
    };
    expect(await runOf(trial)).toBe('job-7');
    expect(await runOf(trial, 'mine')).toBe('mine');
    expect(await runOf({ ...trial, trial_uri: 'file:///elsewhere' })).toBe('agent');
    expect(await runOf({ ...trial, trial_uri: null })).toBe('agent');
  });

  it('keeps what the trial says besides', async () => {
    const [start] = await eventsOf(atif, [trial]);
    expect(JSON.parse(start?.start?.task_metadata_json ?? '')).toEqual({
      ...{ task_name: 'state-file', task_id: { path: 'tasks/state-file' }, task_checksum: 'c0ffee' },
      source: 'state-tasks',
    });
    expect(extraOf(start).trial).toMatchObject({
      trial_name: 'state-file__abc',
      config: { agent: { name: 'terminus-2' } },
    });
  });
});
