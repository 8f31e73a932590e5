import type { JsonObject } from '../exact-number.ts';
import { arrayAt, booleanOr, idOrNull, objectAt, Refused, rewardAt, shown } from '../fields.ts';
import type { Told } from './a2e-episode.ts';
import type { A2eMessage } from './a2e-message.ts';

export function toldOf(kind: Told['kind'], message: A2eMessage, value: JsonObject): Told {
  return { kind, message, value, isEnd: false, reward: null };
}

/** What the environment sends unasked. `terminal` marks the end of the episode. */
export function pushOf(message: A2eMessage): Told {
  const { value } = message;
  const isEnd = booleanOr(value.terminal, 'terminal', false);
  return { kind: 'push', message, value, isEnd, reward: rewardAt(value.reward, 'reward').reward };
}

/** Experiences by their episode. They tell again, in the agent's words, what the steps were. */
export function experiencesOf(message: A2eMessage): Map<string, Told[]> {
  const byEpisode = new Map<string, Told[]>();
  const path = 'experiences';
  for (const [i, item] of arrayAt(message.value.experiences, path).entries()) {
    const value = objectAt(item, `${path}[${i}]`);
    const id = value.episode_id === '' ? null : idOrNull(value.episode_id, `${path}[${i}].episode_id`);
    if (id === null) throw new Refused(`${path}[${i}].episode_id`, 'the id of an episode', shown(value.episode_id));
    const isEnd = booleanOr(value.done, `${path}[${i}].done`, false);
    const { reward } = rewardAt(value.reward, `${path}[${i}].reward`);
    const told: Told = { kind: 'experience', message, value, isEnd, reward };
    byEpisode.set(id, [...(byEpisode.get(id) ?? []), told]);
  }
  return byEpisode;
}
