import { type CutRule, cutText } from '../json/cut.ts';
import { isOnlyAdded } from './only-added.ts';
import { dataOf, SseEvents } from './sse-events.ts';

/** Takes out of an answer what was asked for in the client's place. What it cannot read it leaves as it is. */
export interface Cutter {
  /** What the client may be sent by now. */
  push(chunk: Buffer): readonly Buffer[];
  end(): readonly Buffer[];
}

/** More than this is held back by nobody: what comes after is passed on as it is. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const NONE: readonly Buffer[] = [];

/** A body that is one JSON text: it is held until it is there. */
export function createBodyCutter(rule: CutRule): Cutter {
  let held: Buffer[] = [];
  let bytes = 0;
  let gaveUp = false;
  return {
    push(chunk) {
      if (gaveUp) return [chunk];
      held.push(chunk);
      bytes += chunk.length;
      if (bytes <= MAX_HELD_BYTES) return NONE;
      gaveUp = true;
      return held.splice(0);
    },
    end() {
      if (gaveUp || held.length === 0) return NONE;
      const [first] = held;
      const whole = held.length === 1 && first !== undefined ? first : Buffer.concat(held);
      held = [];
      return [cutText(whole, rule) ?? whole];
    },
  };
}

/** A stream of events: each is held until it is whole, and an event that would not have come is left out. */
export function createStreamCutter(rule: CutRule, emptySaysNothing: boolean): Cutter {
  const events = new SseEvents();
  let gaveUp = false;
  return {
    push(chunk) {
      if (gaveUp) return [chunk];
      const whole = events.push(chunk);
      if (events.pendingBytes > MAX_HELD_BYTES) {
        gaveUp = true;
        return [...whole, events.rest()];
      }
      return whole.flatMap((event) => cutEvent(event, rule, emptySaysNothing));
    },
    end() {
      const rest = events.rest();
      return rest.length === 0 ? NONE : cutEvent(rest, rule, emptySaysNothing);
    },
  };
}

/** Events whose length was announced: they come at once, at the end. */
export function heldCutter(cutter: Cutter): Cutter {
  const held: Buffer[] = [];
  return {
    push(chunk) {
      held.push(...cutter.push(chunk));
      return NONE;
    },
    end: () => [...held, ...cutter.end()],
  };
}

function cutEvent(event: Buffer, rule: CutRule, emptySaysNothing: boolean): Buffer[] {
  const data = dataOf(event);
  if (data === null) return [event];
  const text = event.subarray(data.start, data.end);
  const cut = cutText(text, rule);
  if (cut === null || cut === text) return [event];
  if (isOnlyAdded(cut, emptySaysNothing)) return [];
  return [Buffer.concat([event.subarray(0, data.start), cut, event.subarray(data.end)])];
}
