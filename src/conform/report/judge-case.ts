import { checksOf, isAbout, JUDGES } from './judges/judges.ts';
import type { Seen } from './seen.ts';
import { type Judgement, type Verdict, verdictOf } from './verdict.ts';

/** What is said of one rollout of a task. */
export interface CaseReport {
  readonly scenario: string;
  readonly task: number;
  /** Rollout of the record; null: there is none. */
  readonly rollout: string | null;
  readonly calls: number;
  /** Of what the scenario is about. */
  readonly verdict: Verdict;
  readonly judgements: readonly Judgement[];
  /** What else was laundered on the way. */
  readonly besides: readonly Judgement[];
}

export function judgeCase(seen: Seen): CaseReport {
  const { scenario, task, record, turns } = seen;
  const about = checksOf(scenario);
  const said = JUDGES.flatMap((judge) => judge(seen));
  const judgements =
    about === null
      ? said
      : about.flatMap((check) => said.filter((one) => one.check === check && isAbout(scenario, one)));
  return {
    scenario,
    task,
    rollout: record?.rolloutId ?? null,
    calls: turns.reduce((sum, { tries }) => sum + tries.length, 0),
    verdict: verdictOf(judgements.map(({ verdict }) => verdict)),
    judgements,
    besides: said.filter((one) => one.verdict === 'laundered' && !judgements.includes(one)),
  };
}
