import { counted } from '../../audit/report/figures.ts';
import type { ReplayReport } from '../replays.ts';

type Told = Pick<ReplayReport, 'verdicts' | 'diff'>;

/** Scorers that are named. */
const NAMES = 5;

/** What the new verdicts did. Empty: there were none to be. */
export function verdictLines({ verdicts, diff }: Told): string[] {
  if (verdicts === undefined) return [];
  if (verdicts === 0) return ['new verdicts: none was given'];
  const { replaced = 0, beside = 0, first = 0 } = diff.verdicts ?? {};
  const outside = verdicts - replaced - beside - first;
  const parts = [
    replaced === 0 ? [] : `${replaced} in the place of an older one`,
    beside === 0 ? [] : `${beside} beside verdicts of ${namesOf(diff)}`,
    first === 0 ? [] : `${first} where there was none`,
    outside === 0 ? [] : `${outside} about what was not replayed`,
  ].flat();
  return [`new verdicts: ${parts.join(', ')}`];
}

/** What is likely not what was meant. */
export function verdictWarnings({ verdicts, diff }: Told): string[] {
  if (verdicts === undefined || verdicts === 0) return [];
  const { replaced, beside } = diff.verdicts ?? { replaced: 0, beside: 0 };
  if (replaced > 0) return [];
  const changed =
    diff.rewards.changed === 0 ? 'no reward changed' : `${counted(diff.rewards.changed, 'reward')} changed`;
  if (beside > 0)
    return [
      `none of the new verdicts took the place of another, and ${changed}: what they say was added to what ${namesOf(diff)} said; --scorer names whose verdicts are to be replaced`,
    ];
  if (diff.rewards.changed > 0) return [];
  return [`none of the new verdicts took the place of another, and ${changed}`];
}

function namesOf({ verdicts }: ReplayReport['diff']): string {
  const names = verdicts?.scorers.map(({ scorer }) => scorer) ?? [];
  return names.length > NAMES
    ? `${names.slice(0, NAMES).join(', ')} and ${names.length - NAMES} more`
    : names.join(', ');
}
