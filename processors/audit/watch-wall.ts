import type { ModelCall, PhaseName, StepEvent } from '../../schemas/generated/step-event.ts';
import type { Attempt } from '../model/attempt.ts';
import { watchOf } from '../model/attempt-watch.ts';
import { MOST_SPANS, WALL_PARTS, type WallPart, type WallWatch } from '../model/wall-watch.ts';

const PLACES = new Map<string, number>(WALL_PARTS.map((part, place) => [part, place]));
const OTHER: WallPart = 'other';
/** A client that does not say 429 in one way says it in another. */
const RATE_LIMITED = /429|rate.?limit/i;
const MOST_TEXT = 400;

/** Notes when the work of an event began and ended. Messages take no time, verdicts are not the rollout's. */
export function watchWall(attempt: Attempt, event: StepEvent): void {
  const { model_call: call, tool_result: result, phase } = event;
  if (call !== null) addSpan(attempt, event, partOfCall(call), event.duration_us ?? call.server_e2e_us);
  else if (result !== null) {
    const { wait_us, exec_us, status } = result;
    const sum = wait_us === null && exec_us === null ? null : (wait_us ?? 0) + (exec_us ?? 0);
    addSpan(attempt, event, status === 'rate_limited' ? 'rate_limit' : 'tool_wait', event.duration_us ?? sum);
  } else if (phase !== null) addSpan(attempt, event, partOfPhase(phase.phase), event.duration_us);
}

/** Work that is done again is no sampling of the policy's. */
function partOfCall({ error }: ModelCall): WallPart {
  if (error === null) return 'model';
  const said = `${error.type?.slice(0, MOST_TEXT) ?? ''} ${error.message?.slice(0, MOST_TEXT) ?? ''}`;
  return RATE_LIMITED.test(said) ? 'rate_limit' : 'engine_retry';
}

function partOfPhase(phase: PhaseName): WallPart {
  return phase === 'unknown' ? OTHER : phase;
}

/** The duration is of one monotonic clock; begin and end may be of two hosts: it counts from the begin, or back from the end. */
function addSpan(attempt: Attempt, event: StepEvent, part: WallPart, givenUs: number | null): void {
  const wall = wallWatchOf(attempt, event.segment_id);
  const { started_at: start, ended_at: end } = event;
  const duration = givenUs !== null && givenUs >= 0 ? givenUs : null;
  if (wall.segmentId !== event.segment_id) wall.isParallel = true;
  const isSkewed = start !== null && end !== null && end < start;
  if (isSkewed) addSkew(wall, attempt.calls - 1, part, start - end);
  const begin = start ?? (end !== null && duration !== null ? end - duration : null);
  const until = begin === null ? null : duration !== null ? begin + duration : isSkewed ? begin : end;
  if ((begin === null || until === null) && attempt.end !== null) addLater(wall, part, duration ?? 0);
  else if (begin === null || until === null) {
    wall.untimed += 1;
    if (duration !== null) wall.untimedDurations += 1;
  } else if (wall.spans.length >= 3 * MOST_SPANS) wall.unkept += 1;
  else wall.spans.push(PLACES.get(part) ?? PLACES.size - 1, begin, until);
}

function addLater(wall: WallWatch, part: WallPart, us: number): void {
  if (us === 0) return;
  wall.laterUs ??= {};
  wall.laterUs[part] = (wall.laterUs[part] ?? 0) + us;
}

function addSkew(wall: WallWatch, call: number, part: WallPart, us: number): void {
  wall.skews += 1;
  wall.firstSkew ??= `${part}${call < 0 ? '' : ` at call ${call}`} by ${us / 1000} ms`;
}

function wallWatchOf(attempt: Attempt, segmentId: string): WallWatch {
  const watch = watchOf(attempt);
  watch.wall ??= {
    spans: [],
    untimed: 0,
    untimedDurations: 0,
    unkept: 0,
    laterUs: null,
    segmentId,
    isParallel: false,
    skews: 0,
    firstSkew: null,
    breakdown: null,
  };
  return watch.wall;
}
