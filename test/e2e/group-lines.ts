import type { Random } from '../../examples/generate/random.ts';
import { countEvents, digestOfCalls, type Expected, expectOutcome } from './expected.ts';
import type { WriteLine } from './import-data.ts';
import { type SampledCall, sampledCalls } from './sampled-call.ts';

const RUN = 'grouped';
const SIZE = 4;
/** Groups whose events are written in turn: as many are open at any moment. */
const AT_ONCE = 20;

/**
 * Step events of groups of four, the events of twenty groups interleaved. In some a member was cancelled: it is dropped and
 * the others pass as a group of three. Between them single rollouts whose worker was lost: only the end of the import closes them.
 */
export function writeGroups(write: WriteLine, random: Random, groups: number, expected: Expected): void {
  for (let from = 0; from < groups; from += AT_ONCE) {
    const queues: object[][] = [lostWorker(`lost-${from}`, random, expected)];
    for (let n = from; n < Math.min(groups, from + AT_ONCE); n++) {
      const cancelled = random() < 0.15 ? 0 : -1;
      for (let member = 0; member < SIZE; member++)
        queues.push(memberEvents(`g${n}`, member, member === cancelled, random, expected));
    }
    interleave(queues, random, write);
  }
}

function interleave(queues: object[][], random: Random, write: WriteLine): void {
  let left = queues.filter((queue) => queue.length > 0);
  while (left.length > 0) {
    const event = left[Math.floor(random() * left.length)]?.shift();
    if (event !== undefined) write(event);
    left = left.filter((queue) => queue.length > 0);
  }
}

function memberEvents(
  group: string,
  member: number,
  isCancelled: boolean,
  random: Random,
  expected: Expected,
): object[] {
  const rolloutId = `${group}_${member}`;
  const identity = {
    run_id: RUN,
    env_name: 'adding',
    task_id: group,
    group_id: group,
    group_size: SIZE,
    rollout_id: rolloutId,
  };
  const calls = sampledCalls(random, 2);
  const reward = Math.floor(random() * 3);
  const reason = isCancelled ? { raw: 'cancelled', system: 'inspect' } : { raw: 'task_complete', system: 'rollstream' };
  const contents: object[] = [
    { kind: 'start', start: { prompt: 'question', weights_version: 'step-1' } },
    ...calls.map((_, turn) => modelCall(calls, turn)),
    { kind: 'end', end: { reasons: [reason] } },
  ];
  const events = contents.map((content, seq) => ({ ...identity, attempt: 0, seq, ...content }));
  countEvents(expected, { start: 1, model_call: calls.length, end: 1 });
  if (isCancelled) {
    expectOutcome(expected, RUN, rolloutId, { rejected: 'operator' });
    return events;
  }
  expectOutcome(expected, RUN, rolloutId, { ready: digestOfCalls(calls, reward) });
  countEvents(expected, { verdict: 1 });
  const verdict = { scorer: 'sum', scorer_version: '1', status: 'scored', rewards: { correct: reward } };
  return [...events, { ...identity, attempt: 0, kind: 'verdict', verdict }];
}

function lostWorker(rolloutId: string, random: Random, expected: Expected): object[] {
  const identity = { run_id: RUN, env_name: 'adding', task_id: rolloutId, rollout_id: rolloutId, attempt: 0 };
  const calls = sampledCalls(random, 1);
  countEvents(expected, { start: 1, model_call: 1 });
  expectOutcome(expected, RUN, rolloutId, { rejected: 'retry:worker_lost' });
  return [
    { ...identity, seq: 0, kind: 'start', start: { prompt: 'question' } },
    { ...identity, seq: 1, ...modelCall(calls, 0) },
  ];
}

function modelCall(calls: readonly SampledCall[], turn: number): object {
  const held = calls
    .slice(0, turn)
    .reduce((sum, { promptIds, completionIds }) => sum + promptIds.length + completionIds.length, 0);
  const call = calls[turn];
  return {
    kind: 'model_call',
    model_call: {
      call_id: `call-${turn}`,
      prompt_prefix_len: held,
      prompt_delta_ids: call?.promptIds,
      completion_ids: call?.completionIds,
      completion_logprobs: call?.logprobs,
      weight_spans: [{ start: 0, version: 'step-1' }],
      finish_reason: 'stop',
    },
  };
}
