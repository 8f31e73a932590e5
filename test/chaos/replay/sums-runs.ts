import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/config/package-file.ts';
import { trajectoryDigest } from '../../e2e/expected.ts';

/** A rollout of examples/rescore under a run of this test. */
export interface SentRollout {
  readonly run: string;
  readonly rollout: string;
  readonly group: string;
  /** Reward by the wrong verifier. */
  readonly before: number;
  /** By the right one; null: it dies of it; refused: the group stays as it was. */
  readonly after: number | null | 'refused';
  /** Of the tokens as the producer wrote them, with a reward. */
  readonly digestWith: (reward: number | null) => string;
}

interface Truth {
  readonly rollout_id: string;
  readonly group_id: string;
  readonly before: number;
  readonly after: SentRollout['after'];
}

interface Line {
  readonly run_id: string;
  readonly rollout_id: string;
  readonly group_id: string;
  readonly event_id: string;
  readonly kind: string;
  readonly model_call?: {
    readonly prompt_delta_ids: readonly number[];
    readonly completion_ids: readonly number[];
    readonly completion_logprobs: readonly number[];
  };
}

/** Of these the right verifier refuses one rollout, and dies on another. */
const ODD_GROUPS = ['sum-80', 'sum-81'];

/** The example as so many runs of so many groups; the first run has the odd ones, too. Lines to import, and what was sent by name. */
export function sumsRuns(
  runs: readonly string[],
  groups: number,
): { readonly lines: readonly string[]; readonly sent: ReadonlyMap<string, SentRollout> } {
  const events = linesOf<Line>('sums/steps.jsonl');
  const truth = linesOf<Truth>('expected.jsonl');
  const plain = [...new Set(truth.map(({ group_id }) => group_id))].filter((id) => !ODD_GROUPS.includes(id));
  const calls = new Map(events.flatMap((one) => (one.model_call ? [[one.rollout_id, one.model_call] as const] : [])));
  const lines: string[] = [];
  const sent = new Map<string, SentRollout>();
  runs.forEach((run, at) => {
    const taken = new Set([...plain.slice(0, groups), ...(at === 0 ? ODD_GROUPS : [])]);
    for (const event of events)
      if (taken.has(event.group_id))
        lines.push(JSON.stringify({ ...event, run_id: run, event_id: `${run} ${event.event_id}` }));
    for (const { rollout_id: rollout, group_id: group, before, after } of truth) {
      const call = calls.get(rollout);
      if (!taken.has(group) || call === undefined) continue;
      const { prompt_delta_ids: prompt, completion_ids: sampled, completion_logprobs: logprobs } = call;
      const ids = [...prompt, ...sampled];
      const mask = ids.map((_, place) => (place < prompt.length ? 0 : 1));
      const logs = [...prompt.map(() => 0), ...logprobs];
      const digestWith = (reward: number | null): string => trajectoryDigest(ids, mask, logs, reward);
      sent.set(nameOf(run, rollout), { run, rollout, group, before, after, digestWith });
    }
  });
  return { lines, sent };
}

export function nameOf(run: string, rollout: string): string {
  return `${run} ${rollout}`;
}

/** A group by its name in a run; its rollouts. */
export function groupsOf(sent: Iterable<SentRollout>): Map<string, SentRollout[]> {
  const groups = new Map<string, SentRollout[]>();
  for (const one of sent) {
    const name = nameOf(one.run, one.group);
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return groups;
}

/** Whether the right verifier makes another group of it for a trainer: ten groups only change places, and that is a change. */
export function isChanged(group: readonly SentRollout[]): boolean {
  if (group.some(({ after }) => after === 'refused')) return false;
  return group.some(({ before, after }) => before !== after);
}

function linesOf<Row>(file: string): Row[] {
  const text = readFileSync(packageFile('examples', 'rescore', file), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}
