import type { DecisionJson } from '../access/explanation.ts';
import type { ReplayedJson } from '../access/replayed-json.ts';
import { shortNumber } from './reasons-in-words.ts';

/** Enough of an id to tell policies apart. */
const SHORT = 12;

type Scored = Pick<DecisionJson, 'disposition' | 'why' | 'reason_code' | 'reward' | 'reward_valid' | 'advantage'>;

/** How a replay decided an attempt, beside how it was decided live (null: it was not). */
export function replayWords({ replay_id, label, latest, decision }: ReplayedJson, live: Scored | null): string {
  const name = label === '' ? replay_id : `${label} (${replay_id})`;
  const newest = latest ? '; the newest version' : '';
  if (decision === null) return `${name}: it would not have been opened${newest}`;
  const { policy_id, scorers, emitted_to } = decision;
  const by = scorers.length === 0 ? '' : `, scored by ${scorers.join(', ')}`;
  const sent = emitted_to === '' ? '' : `; emitted to ${emitted_to}`;
  return `${name}: ${changesText(decision, live)}, under policy ${policy_id.slice(0, SHORT)}${by}${sent}${newest}`;
}

function changesText(now: Scored, live: Scored | null): string {
  if (live === null) return `${now.disposition} for ${now.reason_code}, reward ${rewardText(now)}`;
  const changes = [
    live.disposition === now.disposition
      ? ''
      : `${live.disposition} → ${now.disposition} because ${now.why.join(', ')}`,
    change('reason ', live.reason_code, now.reason_code),
    change('reward ', rewardText(live), rewardText(now)),
    change('advantage ', numberText(live.advantage), numberText(now.advantage)),
  ].filter((text) => text !== '');
  return changes.length === 0 ? `as before (${now.disposition}, reward ${rewardText(now)})` : changes.join(', ');
}

function change(name: string, before: string, after: string): string {
  return before === after ? '' : `${name}${before} → ${after}`;
}

/** Null is not 0: a reward that is not valid is none. */
function rewardText({ reward, reward_valid }: Pick<Scored, 'reward' | 'reward_valid'>): string {
  return numberText(reward_valid ? reward : null);
}

function numberText(value: number | null): string {
  return value === null ? 'null' : shortNumber(value);
}
