import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { sourceEndedEvent } from '../../../processors/control/control-event.ts';
import type { ImportTarget } from '../../access/import-target.ts';
import { RollstreamError } from '../../errors.ts';
import type { Recorder } from '../../observe/recorder.ts';
import { readLines } from '../line-reader.ts';
import { bodyFormat } from './body-format.ts';
import { createCaughtUp } from './caught-up.ts';
import type { FindRollouts } from './find-rollouts.ts';
import type { Ingest, IngestBody, IngestResult } from './ingest.ts';
import { createIngestBudget } from './ingest-budget.ts';
import { jsonElements } from './json-elements.ts';
import { readAvroSteps } from './read-avro-steps.ts';
import { readJsonSteps } from './read-json-steps.ts';
import type { ReadStep } from './read-step.ts';
import { readVerdicts } from './read-verdicts.ts';
import { createOpenStepEncoder, type StepEncoder } from './step-encoder.ts';
import { takeBody } from './take-body.ts';

export interface IngestLimits {
  /** Of one body, after gunzip. */
  readonly bodyBytes: number;
  /** Of all bodies together, in memory. */
  readonly inFlightBytes: number;
}

export interface IngestDeps {
  readonly target: ImportTarget;
  readonly findRollouts: FindRollouts;
  readonly limits: IngestLimits;
  readonly log: Logger;
  readonly recorder: Pick<Recorder, 'ingested' | 'ingestBytesInFlight'>;
}

/** So long a verdict waits for the lanes to read what is before it; they flush at once. */
const CATCH_UP_MS = 10_000;

export function createIngest({ target, findRollouts, limits, log, recorder }: IngestDeps): Ingest {
  const openEncoder = createOpenStepEncoder(target);
  const budget = createIngestBudget(limits.inFlightBytes, recorder.ingestBytesInFlight);
  const caughtUp = createCaughtUp(() => target.drained(), CATCH_UP_MS);

  type Read = (chunks: AsyncIterable<Buffer>, encoder: StepEncoder) => AsyncIterable<ReadStep>;

  async function take(route: string, body: IngestBody, readerOf: () => Read): Promise<IngestResult> {
    try {
      const read = readerOf();
      const encoder = await openEncoder();
      const deps = { target, budget, limitBytes: limits.bodyBytes };
      return told(route, await takeBody(body, { ...deps, read: (chunks) => read(chunks, encoder) }));
    } catch (error) {
      return told(route, { accepted: 0, refusedCount: 0, refused: [], error });
    }
  }

  function told(route: string, result: IngestResult): IngestResult {
    const { error, accepted, refusedCount } = result;
    const code = error instanceof RollstreamError ? error.code : 'RS_INTERNAL';
    recorder.ingested(route, error === null ? 'ok' : code, accepted, refusedCount);
    if (error !== null && !(error instanceof RollstreamError))
      log.error({ err: error }, 'a body was not read to its end');
    return result;
  }

  return {
    steps: (body) =>
      take('/v1/steps', body, () => {
        const format = bodyFormat(body.contentType, ['lines', 'json', 'avro']);
        if (format === 'avro') return readAvroSteps;
        if (format === 'lines') return (chunks, encoder) => readJsonSteps(readLines(chunks), encoder);
        return (chunks, encoder) => readJsonSteps(jsonElements(chunks, 'events'), encoder);
      }),

    verdicts: (body) =>
      take('/v1/verdicts', body, () => {
        const format = bodyFormat(body.contentType, ['lines', 'json']);
        return (chunks, encoder) =>
          readVerdicts(format === 'lines' ? readLines(chunks) : jsonElements(chunks, 'verdicts'), {
            ...{ encoder, findRollouts, caughtUp },
          });
      }),

    async producerEnded(producerId, eventId) {
      const encoder = await openEncoder();
      const event = sourceEndedEvent(producerId, `${producerId}|${eventId ?? randomUUID()}`);
      await target.appendToEveryPartition({ ...encoder.recordOf(event), key: '' });
    },
  };
}
