import type { StepEvent } from '../../schemas/generated/step-event.ts';
import { createAttemptNumbers, createLineIds } from '../ingest/attempt-numbers.ts';
import type { AttemptReport, Numbering } from './attempt-report.ts';

/** How an importer numbered the attempt of a line by the lines before it; null: the line itself says who it is. */
export function numberingOf(events: readonly StepEvent[], sha256: string): Numbering | null {
  const first = events[0];
  if (first === undefined) return null;
  if (first.rollout_id.startsWith(`${sha256}.`)) return { sha256, by: 'line', aborted: false };
  if (first.source.format !== 'strands-env') return null;
  const aborted = events.some(({ end }) => end?.reasons.some(({ raw }) => raw === 'aborted') ?? false);
  return { sha256, by: 'attempt', aborted };
}

/** Numbers anew what was read in parts, in the order of the file: as one importer that saw all of it would have. */
export function createRenumber(): (report: AttemptReport) => AttemptReport {
  const lineId = createLineIds();
  const attempts = createAttemptNumbers();
  return (report) => {
    const { numbering, rolloutId } = report;
    if (numbering === null) return report;
    const { sha256, by, aborted } = numbering;
    return by === 'line'
      ? { ...report, rolloutId: lineId(sha256) }
      : { ...report, attempt: attempts.of(rolloutId, sha256, aborted) };
  };
}
