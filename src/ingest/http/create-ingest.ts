import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { sourceEndedEvent } from '../../../processors/control/control-event.ts';
import type { ImportTarget } from '../../access/import-target.ts';
import { RollstreamError } from '../../errors.ts';
import type { Recorder } from '../../observe/recorder.ts';
import type { RunRules } from '../../runs/quota.ts';
import { readLines } from '../line-reader.ts';
import { bodyFormat } from './body-format.ts';
import { createCaughtUp } from './caught-up.ts';
import type { FindRollouts } from './find-rollouts.ts';
import type { IsForeignProducer } from './foreign-producer.ts';
import type { Ingest, IngestBody, IngestResult } from './ingest.ts';
import { createIngestBudget } from './ingest-budget.ts';
import { jsonElements } from './json-elements.ts';
import { readAvroSteps } from './read-avro-steps.ts';
import { readJsonSteps } from './read-json-steps.ts';
import type { ReadStep } from './read-step.ts';
import { readVerdicts } from './read-verdicts.ts';
import type { SenderRuns } from './run-check.ts';
import { createRunLimits } from './run-limits.ts';
import { createRunTally } from './run-tally.ts';
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
  readonly isForeignProducer: IsForeignProducer;
  readonly limits: IngestLimits;
  /** Quotas, and runs that take nothing more. */
  readonly runs: RunRules;
  readonly log: Logger;
  readonly recorder: Pick<Recorder, 'ingested' | 'ingestedOfRun' | 'ingestBytesInFlight'>;
  /** ms, of a clock that nobody sets. */
  readonly steadyMs?: () => number;
}

/** So long a verdict waits for the lanes to read what is before it; they flush at once. */
const CATCH_UP_MS = 10_000;

export function createIngest(deps: IngestDeps): Ingest {
  const { target, findRollouts, isForeignProducer, limits, runs, log, recorder } = deps;
  const openEncoder = createOpenStepEncoder(target);
  const budget = createIngestBudget(limits.inFlightBytes, recorder.ingestBytesInFlight);
  const runLimits = createRunLimits(runs, deps.steadyMs ?? (() => performance.now()));
  const caughtUp = createCaughtUp(() => target.drained(), CATCH_UP_MS);

  type Read = (chunks: AsyncIterable<Buffer>, encoder: StepEncoder) => AsyncIterable<ReadStep>;

  async function take(route: string, body: IngestBody, by: SenderRuns, readerOf: () => Read): Promise<IngestResult> {
    try {
      const read = readerOf();
      const encoder = await openEncoder();
      const shared = { target, budget, runLimits, sender: openOnes(by), limitBytes: limits.bodyBytes };
      return told(route, await takeBody(body, { ...shared, read: (chunks) => read(chunks, encoder) }));
    } catch (error) {
      return told(route, { accepted: 0, refusedCount: 0, refused: [], error, tally: createRunTally() });
    }
  }

  /** Of the runs that the sender may write to those that take something. */
  function openOnes({ refusal, only }: SenderRuns): SenderRuns {
    const closed = (run: string): RollstreamError | null => {
      try {
        runs.refuseClosed(run);
        return null;
      } catch (error) {
        if (error instanceof RollstreamError) return error;
        throw error;
      }
    };
    return { only, refusal: (run) => refusal(run) ?? closed(run) };
  }

  function told(route: string, result: IngestResult): IngestResult {
    const { error, accepted, refusedCount, tally } = result;
    const code = error instanceof RollstreamError ? error.code : 'RS_INTERNAL';
    recorder.ingested(route, error === null ? 'ok' : code, accepted, refusedCount);
    for (const [run, counts] of tally.runs) recorder.ingestedOfRun(run, counts);
    if (tally.forbidden() > 0) recorder.ingestedOfRun(null, { accepted: 0, refused: tally.forbidden(), limited: '' });
    if (error !== null && !(error instanceof RollstreamError))
      log.error({ err: error }, 'a body was not read to its end');
    return result;
  }

  return {
    steps: (body, sender) =>
      take('/v1/steps', body, sender, () => {
        const format = bodyFormat(body.contentType, ['lines', 'json', 'avro']);
        if (format === 'avro') return readAvroSteps;
        if (format === 'lines') return (chunks, encoder) => readJsonSteps(readLines(chunks), encoder);
        return (chunks, encoder) => readJsonSteps(jsonElements(chunks, 'events'), encoder);
      }),

    verdicts: (body, sender) =>
      take('/v1/verdicts', body, sender, () => {
        const format = bodyFormat(body.contentType, ['lines', 'json']);
        const isTaken = (run: string): boolean => sender.refusal(run) === null;
        return (chunks, encoder) =>
          readVerdicts(format === 'lines' ? readLines(chunks) : jsonElements(chunks, 'verdicts'), {
            ...{ encoder, findRollouts, caughtUp, isTaken },
          });
      }),

    async producerEnded(producerId, eventId, runs) {
      if (runs !== null) {
        // What it has sent may be on its way to the store.
        if (!(await caughtUp())) throw behind();
        if (await isForeignProducer(producerId, runs)) {
          const message = 'this producer has written in a run that is not one of this token';
          throw new RollstreamError('RS_FORBIDDEN', message, { facts: { field: 'producer_id' } });
        }
      }
      const encoder = await openEncoder();
      const event = sourceEndedEvent(producerId, `${producerId}|${eventId ?? randomUUID()}`);
      await target.appendToEveryPartition({ ...encoder.recordOf(event), key: '' });
    },
  };
}

function behind(): RollstreamError {
  const message = 'where the producer has written is not known yet, since the lanes are behind: send it again';
  return new RollstreamError('RS_BUSY', message, { facts: { field: 'producer_id' } });
}
