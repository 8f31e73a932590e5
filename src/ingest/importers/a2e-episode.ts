import type { EngineAnswer } from '../engines/engine-answer.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import type { A2eMessage, Observation } from './a2e-message.ts';

/** A request and its answer, either of which may be missing. */
export interface Exchange {
  readonly kind: 'reset' | 'step' | 'tool' | 'observe' | 'close' | 'other';
  /** `env/step`. */
  readonly verb: string;
  request: A2eMessage | null;
  /** Its answer, or the error that came in the place of one. */
  response: A2eMessage | null;
  /** Of the answer; null: it has none. */
  observation: Observation | null;
  /** What was told of it in between. */
  readonly events: A2eMessage[];
}

/** A recorded call of the model: the wire has none. */
export interface RecordedCall {
  readonly kind: 'call';
  /** Without request and response. */
  readonly message: A2eMessage;
  /** null: the engine gave none. */
  readonly answer: EngineAnswer | null;
  readonly durationUs: number | null;
}

/** What the environment sends by itself, or the agent tells the learner: beside the steps, never in their place. */
export interface Told {
  readonly kind: 'push' | 'experience' | 'other';
  readonly message: A2eMessage;
  /** The push, or one experience of the message. */
  readonly value: JsonObject;
  readonly isEnd: boolean;
  readonly reward: number | null;
}

export type EpisodeItem = Exchange | RecordedCall | Told;

/** What a session has said that holds for the episodes that begin after it. */
export interface SessionFacts {
  readonly handshake: JsonObject | undefined;
  readonly tools: JsonValue | undefined;
  readonly spaces: ReadonlyMap<string, JsonObject>;
}

/** One episode, as far as its file has been read. */
export interface Episode {
  /** Unique within the file: what it is held by. */
  readonly key: string;
  /** null: its reset was not answered with one. */
  readonly episodeId: string | null;
  /** How many episodes of this id began before it in the file. */
  readonly ordinal: number;
  /** In the order of the file. */
  readonly items: EpisodeItem[];
  session: SessionFacts;
  /** SHA-256 of its lines, in the order of the file. */
  readonly shas: string[];
  /** SHA-256 of each message, by type and id. */
  readonly seen: Map<string, string>;
  /** Lines that said again what was said. */
  repeats: number;
  readonly first: A2eMessage;
}

export function createEpisode(
  names: Pick<Episode, 'key' | 'episodeId' | 'ordinal' | 'session'>,
  first: A2eMessage,
): Episode {
  return { ...names, items: [], shas: [], seen: new Map(), repeats: 0, first };
}

export function isExchange(item: EpisodeItem): item is Exchange {
  return 'verb' in item;
}

export function resetOf({ items }: Episode): Exchange | undefined {
  for (const item of items) if (isExchange(item) && item.kind === 'reset') return item;
  return undefined;
}

/** When it began: the request, which the clock of the agent has stamped as it has the model calls. */
export function firstMessage(item: EpisodeItem): A2eMessage | null {
  return isExchange(item) ? (item.request ?? item.response) : item.message;
}
