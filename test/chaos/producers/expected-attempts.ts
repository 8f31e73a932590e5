import type { RecordedEvent } from './truth.ts';
import { readTruth } from './truth.ts';

/** An attempt as its producer wrote it down. */
export interface ExpectedAttempt {
  readonly rollout: string;
  readonly attempt: number;
  readonly events: Map<string, ExpectedEvent>;
  /** Its recorder was closed while it was open: it may have ended it. */
  isStopped: boolean;
}

export interface ExpectedEvent {
  readonly event: RecordedEvent;
  /** Its call returned; else it may be there, or not. */
  isSure: boolean;
}

export interface Truth {
  readonly attempts: Map<string, ExpectedAttempt>;
  /** What recorders that were closed counted as lost or refused. */
  readonly complaints: string[];
}

export function attemptName(rollout: string, attempt: number): string {
  return `${rollout} ${attempt}`;
}

export function isEnded({ events }: ExpectedAttempt): ExpectedEvent | undefined {
  return [...events.values()].find(({ event }) => event.kind === 'end');
}

export function readExpected(paths: readonly string[]): Truth {
  const truth: Truth = { attempts: new Map(), complaints: [] };
  for (const path of paths) readOne(path, truth);
  return truth;
}

function readOne(path: string, { attempts, complaints }: Truth): void {
  const mine: ExpectedAttempt[] = [];
  for (const line of readTruth(path)) {
    if (line.t === 'stop') {
      for (const attempt of mine) if (isEnded(attempt) === undefined) attempt.isStopped = true;
    } else if (line.t === 'closed') {
      if (line.lost + line.refused > 0) complaints.push(`${path}: ${line.lost} lost, ${line.refused} refused`);
    } else {
      const name = attemptName(line.rollout, line.attempt);
      let attempt = attempts.get(name);
      if (attempt === undefined) {
        attempt = { rollout: line.rollout, attempt: line.attempt, events: new Map(), isStopped: false };
        attempts.set(name, attempt);
        mine.push(attempt);
      }
      if (line.t === 'before') attempt.events.set(line.key, { event: line, isSure: false });
      else {
        const told = attempt.events.get(line.key);
        if (told !== undefined) told.isSure = true;
      }
    }
  }
}
