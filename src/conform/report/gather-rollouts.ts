import type { RecordedCall, RecordedEnding, RecordedResult, RecordedRollout } from './recorded-rollout.ts';

/** One thing that a record says of a rollout, wherever the record came from. */
export interface RecordedStep {
  readonly runId: string;
  readonly rolloutId: string;
  readonly taskId: string;
  readonly attempt: number;
  readonly segmentId: string;
  readonly where: string;
  readonly texts: readonly string[];
  readonly call: RecordedStepCall | null;
  readonly result: (RecordedResult & { readonly turn: number | null }) | null;
  readonly ending: RecordedEnding | null;
}

export interface RecordedStepCall extends Omit<RecordedCall, 'promptIds' | 'results'> {
  readonly prefixLength: number;
  readonly deltaIds: readonly number[] | null;
}

interface Draft {
  readonly first: RecordedStep;
  readonly texts: string[];
  readonly calls: Array<RecordedCall & { readonly results: RecordedResult[] }>;
  ending: RecordedEnding | null;
  /** What each segment holds; null: it cannot be known any more. */
  readonly held: Map<string, readonly number[] | null>;
}

/** Puts together what belongs to one attempt, in the order in which it was told. */
export function gatherRollouts(steps: Iterable<RecordedStep>): RecordedRollout[] {
  const drafts = new Map<string, Draft>();
  for (const step of steps) {
    const key = JSON.stringify([step.runId, step.rolloutId, step.attempt]);
    const draft: Draft = drafts.get(key) ?? { first: step, texts: [], calls: [], ending: null, held: new Map() };
    drafts.set(key, draft);
    draft.texts.push(...step.texts);
    draft.ending = step.ending ?? draft.ending;
    if (step.call !== null) addCall(draft, step.segmentId, step.call);
    if (step.result !== null) addResult(draft, step.result);
  }
  return [...drafts.values()].map(({ first, texts, calls, ending }) => {
    const { runId, rolloutId, taskId, attempt, where } = first;
    return { runId, rolloutId, taskId, attempt, where, texts, calls, ending };
  });
}

function addCall(draft: Draft, segmentId: string, step: RecordedStepCall): void {
  const { prefixLength, deltaIds, ...call } = step;
  const held = draft.held.get(segmentId) ?? (draft.held.has(segmentId) ? null : []);
  const promptIds = held === null || deltaIds === null ? null : [...held.slice(0, prefixLength), ...deltaIds];
  // Input that nothing was sampled after is no call of the model.
  if (call.completionIds?.length !== 0 || call.error !== null || call.rawText !== null)
    draft.calls.push({ ...call, promptIds, results: [] });
  const { completionIds } = call;
  draft.held.set(segmentId, promptIds === null || completionIds === null ? null : [...promptIds, ...completionIds]);
}

function addResult({ calls }: Draft, { turn, ...result }: NonNullable<RecordedStep['result']>): void {
  const call = turn === null ? calls.at(-1) : calls[turn];
  call?.results.push(result);
}
