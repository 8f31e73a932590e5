import type { CallForm } from '../call-form.ts';
import type { TruthCall } from '../truth.ts';
import { type Conversation, finishType } from './conversations.ts';
import { type NextPrompt, nextPromptOf } from './next-prompt.ts';
import type { RecordedCall, RecordedRollout } from './recorded-rollout.ts';

/** One rollout of a task: what the engine sent, and what can be seen of what the stack made of it. */
export interface Seen {
  readonly scenario: string;
  readonly task: number;
  readonly turns: readonly SeenTurn[];
  /** null: there is none. */
  readonly record: RecordedRollout | null;
}

export interface SeenTurn {
  /** That the engine writes calls in. */
  readonly form: CallForm;
  readonly turn: number;
  readonly tries: readonly TruthCall[];
  /** The try that the stack went on from: the last that was answered, else the last. */
  readonly taken: TruthCall;
  /** null: nothing was asked after it. */
  readonly next: NextPrompt | null;
  /** null: there is no record, or it does not hold the turn. */
  readonly recorded: RecordedCall | null;
}

export function seenOf(
  { scenario, task, turns }: Conversation,
  record: RecordedRollout | null,
  form: CallForm = 'hermes',
): Seen {
  const recorded = recordedByTurn(turns, record);
  return {
    scenario,
    task,
    record,
    turns: turns.flatMap(({ turn, tries }, at) => {
      const taken = takenOf(tries);
      const after = turns[at + 1]?.tries[0];
      if (taken === undefined) return [];
      const next = after === undefined ? null : nextPromptOf(taken, after);
      return [{ form, turn, tries, taken, next, recorded: recorded[at] ?? null }];
    }),
  };
}

function takenOf(tries: readonly TruthCall[]): TruthCall | undefined {
  return tries.findLast(({ status }) => status === 200) ?? tries.at(-1);
}

/** Calls of a record that failed stand for tries; the others are paired in order, with the turns or with all that was answered. */
function recordedByTurn(
  turns: Conversation['turns'],
  record: RecordedRollout | null,
): ReadonlyArray<RecordedCall | null> {
  const calls = (record?.calls ?? []).filter(({ error, completionIds }) => error === null || completionIds?.length);
  const answered = turns.flatMap(({ tries }, at) =>
    tries.filter(({ completionIds }) => completionIds.length > 0).map((call) => ({ at, call })),
  );
  const perTry = calls.length > turns.length && calls.length === answered.length;
  if (!perTry) return turns.map((_, at) => calls[at] ?? null);
  return turns.map(({ tries }, at) => {
    const taken = takenOf(tries);
    return calls[answered.findIndex((one) => one.at === at && one.call === taken)] ?? null;
  });
}

/** The answer of the turn was cut short by the engine, and says so. */
export function isAborted({ status, finishReason }: TruthCall): boolean {
  return status === 200 && finishType(finishReason) === 'abort';
}
