import { idOrNull, Refused, shown } from '../fields.ts';
import { createEpisode, type Episode, resetOf } from './a2e-episode.ts';
import type { A2eMessage } from './a2e-message.ts';
import type { A2eSession } from './a2e-session.ts';

/** Where episodes are held. */
export interface EpisodeStore {
  get(key: string): Episode | undefined;
  touch(key: string, episode: Episode, bytes: number): void;
  remove(key: string): void;
}

/** Tells episodes apart, and which one a message is of. Throws Refused where nobody can tell, and for one that was given. */
export interface Episodes {
  begin(episodeId: string, message: A2eMessage): Episode;
  /** The last episode of that id; where none has begun, one does. */
  of(episodeId: string, message: A2eMessage): Episode;
  /** The last that is held; undefined: there is none. */
  last(episodeId: string): Episode | undefined;
  /** That the message names. */
  named(message: A2eMessage): Episode;
  /** By the message's own word, else the only one that is open. */
  only(message: A2eMessage): Episode;
  /** A reset names no episode before it is answered: it is held by its own id. */
  unnamed(message: A2eMessage): Episode;
  ended(episode: Episode): void;
  /** Notes that a message is of an episode. False: it was said before. */
  note(episode: Episode, message: A2eMessage): boolean;
  /** Where a message was noted that says the same, not long ago. */
  repeated(message: A2eMessage): Episode | undefined;
}

/** Messages whose repeats are known whatever they name. */
const MOST_RECENT = 100_000;

export function createEpisodes(store: EpisodeStore, session: A2eSession): Episodes {
  /** How many episodes of an id have begun. */
  const begun = new Map<string, number>();
  /** Keys of episodes that have begun and not ended. */
  const open = new Set<string>();
  /** Key of the episode of each message with an id. */
  const recent = new Map<string, string>();

  function begin(episodeId: string, message: A2eMessage): Episode {
    const ordinal = begun.get(episodeId) ?? 0;
    begun.set(episodeId, ordinal + 1);
    const key = `${ordinal}/${episodeId}`;
    open.add(key);
    return createEpisode({ key, episodeId, ordinal, session: session.facts() }, message);
  }

  /** The last episode of that id; where none has begun, one does. */
  function of(episodeId: string, message: A2eMessage): Episode {
    const count = begun.get(episodeId) ?? 0;
    if (count === 0) return begin(episodeId, message);
    const episode = store.get(`${count - 1}/${episodeId}`);
    if (episode !== undefined) return episode;
    const why = `episode ${episodeId} was given before its file had ended, since too much was held: its lines have to lie closer together`;
    throw new Refused('episode_id', 'an episode that is still held', shown(episodeId), why);
  }

  /** Of several episodes of one id the one that had begun by then. */
  function episodeAt(episodeId: string, message: A2eMessage): Episode {
    for (let ordinal = (begun.get(episodeId) ?? 0) - 1; ordinal > 0; ordinal--) {
      const episode = store.get(`${ordinal}/${episodeId}`);
      const beganUs = episode === undefined ? null : (resetOf(episode)?.response?.time.us ?? null);
      if (episode && (beganUs === null || message.time.us === null || beganUs <= message.time.us)) return episode;
    }
    return store.get(`0/${episodeId}`) ?? of(episodeId, message);
  }

  /** By its own word, else the only one that is open. */
  function only(message: A2eMessage): Episode {
    const said = episodeIdOf(message);
    if (said !== null) return of(said, message);
    const { correlation_id } = message.value;
    if (typeof correlation_id === 'string' && begun.has(correlation_id)) return of(correlation_id, message);
    const held: Episode[] = [];
    for (const key of open) {
      const episode = store.get(key);
      if (episode === undefined) open.delete(key);
      else if (held.push(episode) > 1) break;
    }
    const [first, another] = held;
    if (first !== undefined && another === undefined) return first;
    const why = `${message.type} names no episode, and ${first === undefined ? 'none is' : 'several are'} open`;
    throw new Refused('episode_id', 'the id of an episode, or one open episode', 'nothing', why);
  }

  function named(message: A2eMessage): Episode {
    const id = episodeIdOf(message);
    if (id === null) throw new Refused('episode_id', 'the id of an episode', shown(message.value.episode_id));
    return message.type === 'model_call' ? episodeAt(id, message) : of(id, message);
  }

  /** A reset names no episode before it is answered: it is held by its own id. */
  function unnamed(message: A2eMessage): Episode {
    const key = `?/${message.id ?? message.sha256}`;
    return store.get(key) ?? createEpisode({ key, episodeId: null, ordinal: 0, session: session.facts() }, message);
  }

  /** False: it was said before. */
  function note(episode: Episode, message: A2eMessage): boolean {
    const { id, type, sha256 } = message;
    const name = `${type} ${id ?? sha256}`;
    const before = episode.seen.get(name);
    if (before !== undefined && before !== sha256)
      throw new Refused('id', 'an id of its own', shown(id), `another ${type} has the id ${shown(id)}`);
    // Without an id two equal lines may be two facts; a recorded call says when it was.
    const isRepeat = before !== undefined && (id !== null || type === 'model_call');
    if (isRepeat) episode.repeats += 1;
    else {
      episode.seen.set(name, sha256);
      episode.shas.push(sha256);
    }
    remember(nameOf(message), episode.key);
    store.touch(episode.key, episode, isRepeat ? 0 : message.bytes);
    return !isRepeat;
  }

  function remember(name: string | null, key: string): void {
    if (name === null) return;
    recent.set(name, key);
    const [oldest] = recent.keys();
    if (recent.size > MOST_RECENT && oldest !== undefined) recent.delete(oldest);
  }

  return {
    ...{ begin, of, named, only, unnamed, note },
    last: (episodeId) => store.get(`${(begun.get(episodeId) ?? 0) - 1}/${episodeId}`),
    ended: ({ key }) => void open.delete(key),
    repeated(message) {
      const key = recent.get(nameOf(message) ?? '');
      return key === undefined ? undefined : store.get(key);
    },
  };
}

function nameOf({ id, type, sha256 }: A2eMessage): string | null {
  return id === null ? null : `${type} ${id} ${sha256}`;
}

export function episodeIdOf({ value }: A2eMessage): string | null {
  return value.episode_id === '' ? null : idOrNull(value.episode_id, 'episode_id');
}
