import type { DiffTally, RewardDiff } from '../../../processors/replay/diff-tally.ts';
import { counted, shareText } from '../../audit/report/figures.ts';
import type { ReplayReport } from '../replays.ts';
import { numberText } from './change-words.ts';
import { verdictLines, verdictWarnings } from './verdict-lines.ts';

/** Enough of an id to tell documents apart. */
const SHORT = 12;

/** What was replayed under what, in sentences. */
export function headLines({ status, policy_id, taxonomy_id, against }: ReplayReport): string[] {
  const documents = [
    `policy ${policy_id === null ? 'as it was then' : policy_id.slice(0, SHORT)}`,
    `taxonomy ${taxonomy_id === null ? 'as it was then' : taxonomy_id.slice(0, SHORT)}`,
  ];
  const far =
    status.state === 'done'
      ? counted(status.units, 'unit')
      : `${stateWords(status)}: so far ${status.units_done} of ${counted(status.units, 'unit')}`;
  return [
    `${far} read, ${counted(status.attempts, 'attempt')} decided again; ${documents.join(', ')}`,
    `compared with ${against === '' ? 'what was decided live' : `replay ${against}`}`,
    ...(status.error === null ? [] : [`ended by ${status.error.code}: ${status.error.message}`]),
  ];
}

function stateWords({ state, interrupted }: ReplayReport['status']): string {
  return interrupted ? `${state}, but nobody works on it` : state;
}

/** How much of it changed. */
export function changeLines(report: ReplayReport): string[] {
  const { status, diff, refused } = report;
  const { attempts, changed, vanished, appeared, rewards, advantages } = diff;
  const unreplayed = refused.reduce((sum, { n }) => sum + n, 0);
  // Not "nothing changed": a condition with a slip in it, a stretch that is empty and records that are all gone look like this.
  if (status.state === 'done' && status.units === 0 && unreplayed === 0)
    return [
      'nothing to replay: no unit that was decided and has records is in what was asked for',
      ...verdictLines(report),
    ];
  return [
    changed + vanished + appeared === 0
      ? `nothing changed: ${counted(attempts, 'attempt is', 'attempts are')} decided as before`
      : `changed: ${shareText(changed, attempts)}`,
    ...(vanished === 0 ? [] : [`${counted(vanished, 'attempt')} would not have been opened`]),
    ...(appeared === 0
      ? []
      : [`${counted(appeared, 'attempt')} would have been opened that ${appeared === 1 ? 'was' : 'were'} not`]),
    ...rewardLines(rewards),
    ...advantageLines(advantages),
    ...verdictLines(report),
    ...verdictWarnings(report),
    ...(unreplayed === 0 ? [] : [`${counted(unreplayed, 'rollout')} could not be replayed`]),
  ];
}

function rewardLines({ changed, both, sum_before, sum_after, sign_flips }: RewardDiff): string[] {
  if (changed === 0) return [];
  const mean =
    both === 0
      ? ''
      : `; their mean from ${numberText(sum_before / both)} to ${numberText(sum_after / both)} over ${counted(both, 'attempt')} that ${both === 1 ? 'has' : 'have'} one before and after`;
  const flips = sign_flips === 0 ? '' : `; ${counted(sign_flips, 'sign flips', 'signs flip')}`;
  return [`rewards: ${changed} changed${mean}${flips}`];
}

function advantageLines({ groups_moved, attempts_moved, largest }: DiffTally['advantages']): string[] {
  if (groups_moved === 0) return [];
  return [
    `advantages: ${counted(attempts_moved, 'attempt')} of ${counted(groups_moved, 'group')} moved${largest === 0 ? '' : `, the furthest by ${numberText(largest)}`}`,
  ];
}

/** What was emitted, and what was left out. Empty: nothing was to be. */
export function emittedLines({ emitted }: ReplayReport): string[] {
  if (emitted === null) return [];
  const { topic, units, trajectories, left_out } = emitted;
  return [
    `${counted(trajectories, 'trajectory', 'trajectories')} of ${counted(units, 'unit')} to ${topic}`,
    ...Object.entries(left_out)
      .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
      .map(([reason, n]) => `left out as ${reason}: ${n}`),
  ];
}

/** Commands to look further with: `what it does`, `the command`. */
export function nextLines({ status, diff }: ReplayReport): Array<readonly [what: string, command: string]> {
  const first = diff.examples[0];
  const isVersion = status.state === 'done' && status.saved;
  return [
    ...(first === undefined ? [] : [['look at one', `rollstream explain ${word(first.rollout_id)}`] as const]),
    ...(isVersion ? [['compare versions', 'rollstream query --named score_versions'] as const] : []),
    ...(status.interrupted ? [['go on with it', `rollstream replay --resume ${word(status.replay_id)}`] as const] : []),
  ];
}

/** As a shell takes it for one word. */
function word(text: string): string {
  return /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
