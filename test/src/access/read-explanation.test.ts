import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExplainedAttempt, ExplainedRollout, Explanation } from '../../../src/access/explanation.ts';
import { explanationText } from '../../../src/cli/explanation-text.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { cli, type RunningCli, startCli } from '../cli/test-io.ts';

/** What a server says about the examples, decided by the default policy, and about step events decided by a policy of one's own. */

const POLICY = `format: rollstream-policy/1
name: mine
retries: 1
categories:
  completion: { disposition: train, awaits_verdict: true, unscored: null }
  policy_failure: { disposition: penalise, awaits_verdict: true, unscored: 0 }
  budget:
    disposition: train
    awaits_verdict: true
    unscored: 0
    penalty: -0.25
  harness_fault: { disposition: retry, awaits_verdict: false, unscored: null }
  env_fault: { disposition: retry, awaits_verdict: false, unscored: null }
  infra_fault: { disposition: retry, awaits_verdict: false, unscored: null }
  verifier_fault: { disposition: quarantine, awaits_verdict: true, unscored: null }
  cancelled: { disposition: drop, awaits_verdict: false, unscored: null }
  unknown: { disposition: quarantine, awaits_verdict: false, unscored: null }
codes: {}
reward: { weights: { tests: 2, style: 0.5 }, clip: { min: -1, max: 2 } }
group: { min_valid: 2, zero_variance: drop }
scopes:
  - when: { env: [aged] }
    staleness: { max_lag: 2, unknown: drop }
`;

let folder = '';
let server: RunningCli;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-explain-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** One after the other: an engine is open for one folder at a time. */
async function serve(data: string, env: Record<string, string> = {}): Promise<void> {
  server = startCli(['up', '--port', '0', '--data', join(folder, data)], { env, cwd: folder });
  await server.said(/serving at (\S+)/);
}

async function stop(): Promise<void> {
  server.interrupt();
  await server.code;
}

interface Told {
  readonly text: string;
  readonly rollout: ExplainedRollout;
  readonly last: ExplainedAttempt;
}

async function told(id: string, data = 'examples'): Promise<Told> {
  const flags = ['--data', join(folder, data)];
  const { stdout } = await cli(['explain', id, '--json', ...flags]);
  const explanation: Explanation = JSON.parse(stdout);
  const [rollout] = explanation.rollouts;
  const last = rollout?.attempts.at(-1);
  if (rollout === undefined || last === undefined) throw new Error(`nothing is told of ${id}`);
  return { text: explanationText(explanation), rollout, last };
}

describe('the examples, under the default policy', () => {
  beforeAll(async () => {
    await serve('examples');
    const names = ['calculator-strands', 'files-events', 'kv-nemo', 'recipe-strands', 'calculator-eval'];
    const files = names.map((name) => packageFile('examples', 'rollouts', name));
    // 4: one line is torn on purpose.
    expect((await cli(['import', ...files, '--data', join(folder, 'examples')])).code).toBe(4);
  });
  afterAll(stop);

  it('trained: the reward with its verifier, and the advantage with its group', async () => {
    const { text, rollout } = await told('trails-to-km_0');
    expect(rollout.summary).toBe(
      'Trains: it finished its task (task_complete); reward 1 by verifier file-check 1.2.0; advantage 1.306 within its group (mean 0.375).',
    );
    expect(text).toMatch(/^ {2}baseline +grpo over 4 rewards: mean 0\.375, std 0\.4787$/m);
    expect(text).toMatch(/^ +→ +trails-to-km_0 +train \(task_complete\) +1 +1\.306$/m);
    expect(text).toMatch(/^ {2}decided by +the verdict event of trails-to-km_3 \(offset \d+\)$/m);
    expect(text).not.toContain('would have made it train');
  });

  it('masked: whose time it was, the limit that it missed, and policies that would train it', async () => {
    const { text, rollout, last } = await told('release-notes_3');
    expect(rollout.summary).toBe(
      "Goes to the trainer, but out of the loss: it ran out of time (wall_clock), and 36 % of the time was the infrastructure's.",
    );
    expect(last.would_train).toEqual([
      'a share of the infrastructure in its time of at most 25 %: it was 36 %',
      expect.stringMatching(/^another policy: .*verl/),
    ]);
    expect(text).toMatch(/^ {2}policy rule +default\.yaml:\d+ {2}under codes, policy default/m);
    expect(text).toMatch(/^ +wall_clock: \{ disposition: train_masked, .* \}$/m);
  });

  it('dropped after its retries: that all ended alike, the error, and no false hope', async () => {
    const { text, rollout, last } = await told('release-notes_7');
    expect(rollout.summary).toBe(
      'Attempt 2 of 3: Dropped: the sandbox crashed (env_crash), and both retries ended the same way.',
    );
    expect(last.would_train).toEqual([]);
    expect(text).toMatch(/^ {2}last error +SandboxError: container exited with code 137 \(end, seq 4\)$/m);
    expect(text).toContain('Run again: the sandbox crashed (env_crash). Attempt 1 took its place.');
    expect(text).toMatch(/^ +default\.yaml:\d+\n +retries: 2$/m);
  });

  it('a retry that nobody ran: its group closed without it', async () => {
    const { rollout } = await told('raise-timeout_1');
    expect(rollout.summary).toContain('Its group closed without it: nobody ran it again in time.');
  });

  it('quarantined for re-scoring: what the verifier said, and that only a verdict is wanted', async () => {
    const { rollout, last } = await told('release-notes_2');
    expect(rollout.summary).toBe(
      'Quarantined, to be scored again: it finished its task (task_complete), but the verifier file-check ran out of time (verifier_timeout). A missing score is not a 0.',
    );
    expect(last.would_train).toEqual([
      'a verdict that scores it (from file-check): it need not be run again, only scored',
    ]);
    expect((await told('tank-77_1')).rollout.summary).toContain(
      'but the verifier strands-env gave no score (reward_missing)',
    );
  });

  it('a reason that nobody knows: its raw value, and what a name for it would do', async () => {
    const { rollout, last } = await told('recipe-custard_2');
    expect(rollout.summary).toContain(
      'it ended with "unclassified_error", of which the taxonomy does not know what it means',
    );
    expect(last.would_train).toEqual([
      'a taxonomy that says what "unclassified_error" of strands-env means: as a completion, for one, it would train with reward 0',
    ]);
    expect((await told('kv_store_agent/0/3')).rollout.summary).toContain('nothing says why it ended');
  });

  it('a contradiction: both sides, and the verdict that came too late', async () => {
    const { text, rollout, last } = await told('release-notes_0');
    expect(rollout.summary).toContain('the loop says task_complete, the engine aborted its last call');
    expect(last.verdicts.map(({ standing }) => standing)).toEqual(['late']);
    expect(last.would_train).toEqual(['no contradiction: it would count as task_complete, and train with reward 1']);
    expect(text).toMatch(/correct = 1; too late/);
  });

  it('no token ids, and a run that does not train: no rule of any policy is named', async () => {
    const { last } = await told('recipe-custard_1');
    expect(last.would_train).toEqual(['token ids for every model call: its source must keep them']);
    expect(last.policy?.rules).toEqual([]);
    expect((await told('tickets-3_0')).last.would_train).toEqual([
      'a run of purpose train: this one is of purpose eval',
    ]);
  });

  it('superseded, and never run again: told under each attempt', async () => {
    const { text, rollout } = await told('release-notes_6');
    expect(rollout.attempts.map(({ summary }) => summary.split(':')[0])).toEqual(['Superseded', 'Trains']);
    expect(text).toMatch(/^ {2}decided by +the start event of release-notes_6/m);
  });

  it('a lost worker: the deadline that closed it', async () => {
    const { text } = await told('release-notes_1');
    expect(text).toMatch(/^ {2}decided by +the deadline source_ended: its source has ended/m);
  });
});

describe("step events, under a policy of one's own", () => {
  beforeAll(async () => {
    writeFileSync(join(folder, 'mine.yaml'), POLICY);
    const lines = events().map((event) => JSON.stringify(event));
    writeFileSync(join(folder, 'steps.jsonl'), `${lines.join('\n')}\n`);
    await serve('own', { ROLLSTREAM_POLICY_FILE: 'mine.yaml' });
    expect(await cli(['import', join(folder, 'steps.jsonl'), '--data', join(folder, 'own')])).toMatchObject({
      code: 0,
    });
  });
  afterAll(stop);

  it('each part of a reward with what made it: they add up to it', async () => {
    const { last, text } = await told('parts', 'own');
    expect(last.reward_parts).toEqual([
      { name: 'style', value: 0.5, from: 'verifier lint 1: its 1 × weight 0.5' },
      { name: 'tests', value: 2, from: 'verifier unit: its 1 × weight 2' },
      { name: 'penalty', value: -0.25, from: "the policy's penalty for output_tokens" },
      { name: 'clip', value: -0.25, from: 'what the clip to -1 … 2 changed' },
    ]);
    expect(last.decision?.reward).toBe(2);
    // Over several lines, and with the path of the configured file.
    expect(text).toMatch(
      /mine\.yaml:7 {2}under categories, policy mine .*\n +budget:\n +disposition: train\n +awaits_verdict: true\n/,
    );
  });

  it('a higher version of a scorer: the lower one is kept, and said not to count', async () => {
    const { last, text } = await told('twice', 'own');
    expect(last.verdicts.map(({ scorer_version, standing }) => [scorer_version, standing])).toEqual([
      ['1', 'superseded'],
      ['2', 'counts'],
    ]);
    expect(text).toContain('does not count: a higher version of it has answered too');
  });

  it('a group that was too small: how many were valid, and how many were wanted', async () => {
    const { last, text } = await told('small-0', 'own');
    expect(last.summary).toBe(
      'Dropped with its group: 1 of 2 members are valid, and the policy wants 2 (group_too_small); by itself: it finished its task (task_complete); reward 2 by verifier unit.',
    );
    expect(last.would_train).toEqual([
      '1 more member of its group with a valid reward: 1 of 2 are valid',
      'a policy with group.min_valid of 1',
    ]);
    expect(text).toMatch(/mine\.yaml:20 .*\n +group: \{ min_valid: 2, zero_variance: drop \}/);
    expect(text).toMatch(/^ +small-1 +quarantine \(reward_missing\) +null +null$/m);
  });

  it('a group without spread: that all rewards are equal', async () => {
    const { last } = await told('flat-0', 'own');
    expect(last.summary).toContain('all its rewards are equal, so there is nothing to learn (zero_variance)');
    expect(last.would_train).toContain('another reward in its group');
  });

  it('weights that nobody announced: the rule of the scope that says so', async () => {
    const { last } = await told('aged', 'own');
    expect(last.summary).toMatch(/^Dropped: nobody announced all the weights that sampled it \(v7\)/);
    expect(last.policy?.rules).toEqual([
      { path: 'scopes[0].staleness.unknown', line: 23, text: 'staleness: { max_lag: 2, unknown: drop }' },
    ]);
    expect(last.would_train[0]).toContain('POST /v1/versions');
  });

  it('a start that its group refused: why, in words, and which group', async () => {
    const { rollout, text } = await told('over-2', 'own');
    expect(rollout.summary).toMatch(
      /^Never started: its start was refused, since its group has as many members as its size \(group_overfull\)\. The group that it named is over,/,
    );
    expect(text).toMatch(/^ {2}group +over$/m);
  });

  it('one id in two groups of a run: each by itself, the one that was only refused last', async () => {
    const { stdout } = await cli(['explain', 'both', '--json', '--data', join(folder, 'own')]);
    const { rollouts }: Explanation = JSON.parse(stdout);
    expect(rollouts.map(({ group, attempts }) => [group?.group_id ?? null, attempts.length])).toEqual([
      ['one', 1],
      ['two', 1],
      [null, 1],
    ]);
    expect(rollouts.map(({ attempts }) => attempts[0]?.steps.length)).toEqual([4, 4, 0]);
    expect(rollouts.map(({ attempts }) => attempts[0]?.decision?.reward ?? null)).toEqual([2, 0, null]);
    expect(new Set(rollouts.map(({ unit }) => unit)).size).toBe(3);
    expect(rollouts[2]?.summary).toContain(
      'since its group closed before (group_closed). The group that it named is small',
    );
  });

  it('starts that were not taken in are told by the accounting, each once though it is imported twice', async () => {
    const data = ['--data', join(folder, 'own')];
    const { stdout, code } = await cli(['import', join(folder, 'steps.jsonl'), ...data]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^2 starts were not taken in: 1 group_closed, 1 group_overfull \(query step_faults\)$/m);
    const { stdout: books } = await cli(['accounting', '--json', ...data]);
    expect(JSON.parse(books).runs).toMatchObject([
      { run_id: 'own', balanced: true, not_taken_in: { group_closed: 1, group_overfull: 1 } },
    ]);
  });

  it('an older policy is quoted from the store, though no file has its text any more', async () => {
    writeFileSync(join(folder, 'mine.yaml'), `# another text\n${POLICY}`);
    const { last, text } = await told('twice', 'own');
    expect(last.policy).toMatchObject({ name: 'mine', file: null });
    expect(text).toMatch(/^ {2}policy rule +line 5 {2}under categories, policy mine/m);
  });
});

type Event = Record<string, unknown>;

function events(): Event[] {
  return [
    ...rollout('parts', {
      end: 'max_tokens_reached',
      verdicts: [verdict('lint', '1', { style: 1 }), verdict('unit', '', { tests: 1 })],
    }),
    ...rollout('twice', { verdicts: [verdict('unit', '1', { tests: 0 }), verdict('unit', '2', { tests: 1 })] }),
    ...rollout('small-0', { group: 'small', verdicts: [verdict('unit', '', { tests: 1 })] }),
    ...rollout('small-1', { group: 'small', verdicts: [verdict('unit', '', { tests: null })] }),
    ...rollout('flat-0', { group: 'flat', verdicts: [verdict('unit', '', { tests: 1 })] }),
    ...rollout('flat-1', { group: 'flat', verdicts: [verdict('unit', '', { tests: 1 })] }),
    ...startsFirst(
      [0, 1, 2].flatMap((n) => rollout(`over-${n}`, { group: 'over', verdicts: [verdict('unit', '', { tests: n })] })),
    ),
    ...rollout('both', { group: 'one', verdicts: [verdict('unit', '', { tests: 1 })] }),
    ...rollout('one-1', { group: 'one', verdicts: [verdict('unit', '', { tests: 0 })] }),
    ...rollout('both', { group: 'two', verdicts: [verdict('unit', '', { tests: 0 })] }),
    ...rollout('two-1', { group: 'two', verdicts: [verdict('unit', '', { tests: 1 })] }),
    ...rollout('both', { group: 'small', verdicts: [verdict('unit', '', { tests: 1 })] }),
    ...rollout('aged', { env: 'aged', verdicts: [verdict('unit', '', { tests: 1 })] }),
  ];
}

function startsFirst(events: readonly Event[]): Event[] {
  return [...events.filter(({ kind }) => kind === 'start'), ...events.filter(({ kind }) => kind !== 'start')];
}

interface Made {
  readonly end?: string;
  readonly group?: string;
  readonly env?: string;
  readonly verdicts: readonly Event[];
}

function rollout(id: string, { end = 'task_complete', group, env = 'code', verdicts }: Made): Event[] {
  const identity = {
    run_id: 'own',
    env_name: env,
    task_id: 't',
    rollout_id: id,
    producer_id: 'loop',
    source: { format: 'rollstream' },
  };
  const grouped = group === undefined ? {} : { group_id: group, group_size: 2 };
  const call = {
    ...{ call_id: 'c', prompt_prefix_len: 0, prompt_delta_ids: [1, 2], completion_ids: [3, 4], tool_calls: [] },
    ...{ completion_logprobs: [-0.5, -0.25], weight_spans: [{ start: 0, version: 'v7' }], finish_reason: 'stop' },
  };
  const bodies: Event[] = [
    { kind: 'start', seq: 0, start: { prompt: 'p' } },
    { kind: 'model_call', seq: 1, model_call: call },
    // Verdicts of one attempt may come before its end: all that count are there when it is decided.
    ...verdicts,
    { kind: 'end', seq: 2, end: { reasons: [{ raw: end, system: 'strands-env' }] } },
  ];
  return bodies.map((body, index) => ({ ...identity, ...grouped, event_id: `${id}.${index}`, ...body }));
}

function verdict(scorer: string, version: string, rewards: Record<string, number | null>): Event {
  return { kind: 'verdict', verdict: { scorer, scorer_version: version, status: 'scored', rewards } };
}
