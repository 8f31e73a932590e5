import { eventOfJson } from '../event-json.ts';
import { refusable } from '../importer.ts';
import type { SourceLine } from '../line-reader.ts';
import { readRecord } from '../read-record.ts';
import { type ReadStep, runOf } from './read-step.ts';
import type { StepEncoder } from './step-encoder.ts';

const DEFAULTS = {
  ...{ runId: null, producerId: 'http', format: 'http' },
  ...{ location: null, groupSize: null, overrides: {} },
} as const;

/** The events of a body of JSON, a record each. */
export async function* readJsonSteps(
  records: AsyncIterable<SourceLine>,
  encoder: StepEncoder,
): AsyncGenerator<ReadStep> {
  for await (const source of records) {
    const read = readRecord(source);
    const taken =
      'refused' in read ? read : refusable(() => [eventOfJson({ ...read, sha256: source.sha256 }, DEFAULTS)]);
    if ('refused' in taken) yield { source, run: 'refused' in read ? null : runOf(read.value), refused: taken.refused };
    else for (const event of taken.events) yield { source, run: event.run_id, record: encoder.recordOf(event) };
  }
}
