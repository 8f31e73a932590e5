import type { TruthCall } from '../truth.ts';

/** One rollout of a task, as the engine saw it. */
export interface Conversation {
  readonly scenario: string;
  readonly task: number;
  /** In order; those that nobody asked for are left out. */
  readonly turns: readonly ConversationTurn[];
}

export interface ConversationTurn {
  readonly turn: number;
  /** The same turn asked for again, in order: at least one. */
  readonly tries: readonly TruthCall[];
}

interface Draft {
  readonly scenario: string;
  readonly task: number;
  readonly calls: TruthCall[];
}

/**
 * Calls belong together where one goes on from what stood after the other. A first turn that is asked for again is another
 * rollout, unless nobody had a whole answer to the one before: then it is the same rollout, tried again.
 */
export function conversationsOf(calls: readonly TruthCall[]): Conversation[] {
  const drafts: Draft[] = [];
  const draftOf = new Map<number, Draft>();
  for (const call of [...calls].sort((a, b) => a.call - b.call)) {
    const { scenario, task } = call;
    if (scenario === null || task === null) continue;
    const before = continuedBy(call, drafts, draftOf);
    const tried = drafts.find((one) => one.scenario === scenario && one.task === task && awaits(one, call));
    const draft = before ?? tried ?? { scenario, task, calls: [] };
    if (before === undefined && tried === undefined) drafts.push(draft);
    draft.calls.push(call);
    draftOf.set(call.call, draft);
  }
  return drafts.map((draft) => ({ scenario: draft.scenario, task: draft.task, turns: turnsOf(draft.calls) }));
}

/**
 * The rollout that the call goes on with. The engine names one that has the prompt's beginning: of several rollouts of a task that
 * stand alike, each is gone on with once.
 */
function continuedBy(
  { heldCall, turn }: TruthCall,
  drafts: readonly Draft[],
  draftOf: ReadonlyMap<number, Draft>,
): Draft | undefined {
  const named = heldCall === null ? undefined : draftOf.get(heldCall);
  const held = named?.calls.find(({ call }) => call === heldCall);
  if (named === undefined || held === undefined) return undefined;
  const answered = named.calls.findLast((one) => one.turn === turn);
  if (answered === undefined || !isAnswered(answered)) return named;
  const alike = drafts.find(({ scenario, task, calls }) => {
    const last = calls.at(-1);
    return scenario === named.scenario && task === named.task && last?.turn === turn - 1 && isAlike(last, held);
  });
  return alike ?? named;
}

function isAlike(a: TruthCall, b: TruthCall): boolean {
  const [one, other] = [a, b].map(({ promptIds, completionIds }) => [...promptIds, ...completionIds].join(' '));
  return one === other;
}

/** The draft's first turn was not answered whole, and nothing came after it. */
function awaits({ calls }: Draft, { turn }: TruthCall): boolean {
  const last = calls.at(-1);
  return turn === 0 && last?.turn === 0 && !isAnswered(last);
}

/** The client had all of an answer, the model had said all that it would, and there is one logprob a token. */
export function isAnswered({ status, ended, finishReason, completionIds, logprobs }: TruthCall): boolean {
  const type = finishType(finishReason);
  const isWhole = status === 200 && ended === 'complete' && type !== 'abort' && type !== 'length';
  return isWhole && logprobs.length <= completionIds.length;
}

/** `stop`, `length`, `abort`; null: none was sent. */
export function finishType(finishReason: unknown): string | null {
  if (typeof finishReason === 'string') return finishReason;
  if (typeof finishReason !== 'object' || finishReason === null || !('type' in finishReason)) return null;
  return typeof finishReason.type === 'string' ? finishReason.type : null;
}

function turnsOf(calls: readonly TruthCall[]): ConversationTurn[] {
  const byTurn = new Map<number, TruthCall[]>();
  for (const call of calls) {
    const tries = byTurn.get(call.turn);
    if (tries === undefined) byTurn.set(call.turn, [call]);
    else tries.push(call);
  }
  return [...byTurn].sort(([a], [b]) => a - b).map(([turn, tries]) => ({ turn, tries }));
}
