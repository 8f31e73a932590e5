import type { CallForm } from '../call-form.ts';
import { SCENARIO_NAMES, SCENARIOS } from '../scenarios/scenarios.ts';
import { unplayedWays } from '../scenarios/ways.ts';
import type { TruthCall, TruthHead } from '../truth.ts';
import { conversationsOf } from './conversations.ts';
import { type CaseReport, judgeCase } from './judge-case.ts';
import { pairRecords } from './pair-records.ts';
import type { RecordedRollout } from './recorded-rollout.ts';
import { seenOf } from './seen.ts';
import type { Verdict } from './verdict.ts';

/** What a stack made of what the engine sent. */
export interface ConformReport {
  readonly cases: readonly CaseReport[];
  readonly verdicts: Readonly<Record<Verdict, number>>;
  /** Cases in which something was laundered, their own subject or besides. */
  readonly laundered: number;
  /** Scenarios that test a stack, that the engine plays, and that nobody asked for. */
  readonly notAsked: readonly string[];
  /** How the engine wrote its calls. */
  readonly calls: CallForm;
  /** Ways of what was asked for that have no meaning in that form of calls: nothing is said of them. */
  readonly unplayed: ReadonlyArray<{ readonly scenario: string; readonly ways: readonly string[] }>;
  /** Calls without a marker. */
  readonly unmarked: number;
  /** Rollouts of the record that belong to no conversation. */
  readonly unpaired: number;
  /** No task was asked for, in words, and what to do; null: some were. Then nothing is shown, and it is no success. */
  readonly nothingAsked: string | null;
}

export interface Truth {
  readonly head: TruthHead | null;
  readonly calls: readonly TruthCall[];
}

/** `records` null: nobody gave any. */
export function conformReport({ head, calls }: Truth, records: readonly RecordedRollout[] | null): ConformReport {
  const order = head?.scenarios ?? [];
  const form = head?.calls ?? 'hermes';
  const placeOf = (scenario: string) => (order.includes(scenario) ? order.indexOf(scenario) : order.length);
  const paired = pairRecords(conversationsOf(calls), records ?? []);
  const cases = paired
    .map(({ conversation, record }) => judgeCase(seenOf(conversation, record, form)))
    .sort((a, b) => placeOf(a.scenario) - placeOf(b.scenario) || a.task - b.task);
  const asked = new Set(cases.map(({ scenario }) => scenario));
  const unmarked = calls.filter(({ scenario }) => scenario === null).length;
  const count = (verdict: Verdict) => cases.filter((one) => one.verdict === verdict).length;
  return {
    cases,
    verdicts: {
      faithful: count('faithful'),
      laundered: count('laundered'),
      not_observable: count('not_observable'),
    },
    laundered: cases.filter(({ verdict, besides }) => verdict === 'laundered' || besides.length > 0).length,
    notAsked: order.filter((scenario) => SCENARIO_NAMES.includes(scenario) && !asked.has(scenario)),
    calls: form,
    unplayed: unplayedOf(asked, form),
    unmarked,
    unpaired: (records?.length ?? 0) - paired.filter(({ record }) => record !== null).length,
    nothingAsked: cases.length === 0 ? nothingAskedText(unmarked) : null,
  };
}

function unplayedOf(asked: ReadonlySet<string>, form: CallForm): ConformReport['unplayed'] {
  return [...SCENARIOS.values()].flatMap(({ name, ways = [] }) => {
    const unplayed = asked.has(name) ? unplayedWays(ways, form) : [];
    return unplayed.length === 0 ? [] : [{ scenario: name, ways: unplayed }];
  });
}

function nothingAskedText(unmarked: number): string {
  return unmarked === 0
    ? 'nothing was asked: the log has no call. Start the engine (rollstream conform), point the stack at it, and run it on the tasks of rollstream conform tasks'
    : `nothing was asked: ${unmarked} ${unmarked === 1 ? 'call has' : 'calls have'} no marker of a task. Run the stack on the tasks of rollstream conform tasks, with each prompt whole`;
}
