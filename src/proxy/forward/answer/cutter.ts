import { type CutRule, cutText } from '../json/cut.ts';
import { skipSpace } from '../json/scan.ts';
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
      return cutEvents(whole, rule, emptySaysNothing);
    },
    end() {
      const rest = events.rest();
      return rest.length === 0 ? NONE : cutEvents([rest], rule, emptySaysNothing);
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

function cutEvents(events: readonly Buffer[], rule: CutRule, emptySaysNothing: boolean): Buffer[] {
  const cut: Buffer[] = [];
  for (const event of events) {
    const left = cutEvent(event, rule, emptySaysNothing);
    if (left !== null) cut.push(left);
  }
  return cut;
}

/** null: it would not have come. */
function cutEvent(event: Buffer, rule: CutRule, emptySaysNothing: boolean): Buffer | null {
  const data = dataOf(event);
  if (data === null) return event;
  const cut = cutText(event, rule, data);
  if (cut === null || cut === event) return event;
  return isOnlyAdded(cut, skipSpace(cut, data.start), emptySaysNothing) ? null : cut;
}
