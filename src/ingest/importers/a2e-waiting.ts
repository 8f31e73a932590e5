import type { A2eMessage } from './a2e-message.ts';

/** An exchange of an episode, by its place: what was given is not kept alive. */
export interface Place {
  readonly key: string;
  /** Index among the items of the episode. */
  readonly at: number;
}

/** Requests that wait for their answer, and answers that came before their request. */
export interface A2eWaiting {
  ask(verb: string, id: string | null, place: Place): void;
  /** Takes the request that a message answers; undefined: nobody asked, or it was answered. */
  asked(verb: string, message: A2eMessage): Place | undefined;
  /** Takes all requests that an error answers: of a batch all of its steps. */
  failed(reqId: string): Place[];
  /** The request of an answer may come later in the file. */
  answer(verb: string, reqId: string | null, place: Place): void;
  answered(verb: string, id: string | null): Place | undefined;
  /** Keeps an answer of which nobody knows the episode yet. False: there are too many. */
  stray(verb: string, message: A2eMessage): boolean;
  /** Takes the answer, or the error, that came before its request. */
  takeStray(verb: string, request: A2eMessage): A2eMessage | undefined;
  /** Answers whose request never came. */
  strays(): A2eMessage[];
}

/** Their answers have lost the id of the request: they answer the one that has waited longest. */
const NAMELESS = ['env/close', 'env/render', 'env/plan'];
const MOST_STRAYS = 10_000;
const MOST_EARLY = 100_000;

export function createA2eWaiting(): A2eWaiting {
  /** By verb, then id, in the order of the file. */
  const waiting = new Map<string, Map<string, Place>>();
  const early = new Map<string, Place>();
  const strays = new Map<string, A2eMessage>();

  return {
    ask(verb, id, place) {
      if (id === null) return;
      const ofVerb = waiting.get(verb) ?? new Map<string, Place>();
      waiting.set(verb, ofVerb.set(id, place));
    },
    asked(verb, message) {
      const ofVerb = waiting.get(verb);
      const id = message.reqId ?? (NAMELESS.includes(verb) ? ofVerb?.keys().next().value : undefined);
      const place = id === undefined ? undefined : ofVerb?.get(id);
      if (id !== undefined) ofVerb?.delete(id);
      return place;
    },
    failed(reqId) {
      const places: Place[] = [];
      for (const [verb, ofVerb] of waiting) {
        const isBatch = (id: string): boolean => verb === 'env/step' && id.startsWith(`${reqId}#`);
        const ids = ofVerb.has(reqId) ? [reqId] : verb === 'env/step' ? [...ofVerb.keys()].filter(isBatch) : [];
        for (const id of ids) {
          const place = ofVerb.get(id);
          ofVerb.delete(id);
          if (place !== undefined) places.push(place);
        }
      }
      return places;
    },
    answer(verb, reqId, place) {
      if (reqId === null) return;
      early.set(`${verb} ${reqId}`, place);
      const [oldest] = early.keys();
      if (early.size > MOST_EARLY && oldest !== undefined) early.delete(oldest);
    },
    answered(verb, id) {
      const name = `${verb} ${id}`;
      const place = early.get(name);
      early.delete(name);
      return place;
    },
    stray(verb, message) {
      if (strays.size >= MOST_STRAYS) return false;
      strays.set(`${verb} ${message.reqId ?? ''} ${message.id ?? message.sha256}`, message);
      return true;
    },
    takeStray(verb, request) {
      for (const [name, message] of strays) {
        const isNameless = message.reqId === null && name.startsWith(`${verb} `) && NAMELESS.includes(verb);
        if (!isNameless && (message.reqId === null || message.reqId !== request.id)) continue;
        strays.delete(name);
        return message;
      }
      return undefined;
    },
    strays: () => [...strays.values()],
  };
}
