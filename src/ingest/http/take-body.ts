import type { ImportTarget } from '../../access/import-target.ts';
import { RollstreamError } from '../../errors.ts';
import { decodedBody } from './decoded-body.ts';
import type { IngestBody, IngestResult } from './ingest.ts';
import { type IngestBudget, type Share, shareOf } from './ingest-budget.ts';
import { BodyFault, type ReadStep, type RecordBytes } from './read-step.ts';
import { createRefusedList } from './refused-list.ts';
import type { SenderRuns } from './run-check.ts';
import type { RunLimits } from './run-limits.ts';
import { createRunTally } from './run-tally.ts';
import { createStepBatches } from './step-batches.ts';

export interface TakeBodyDeps {
  readonly target: Pick<ImportTarget, 'appendSteps' | 'appendDeadLetters'>;
  readonly budget: IngestBudget;
  readonly runLimits: RunLimits;
  readonly sender: SenderRuns;
  readonly limitBytes: number;
  /** Records of the bytes, in order. */
  readonly read: (chunks: AsyncIterable<Buffer>) => AsyncIterable<ReadStep>;
}

/**
 * Reads a body onto the log, record by record and in bounded memory. Whatever ends it early, what was whole before is made durable
 * and counted first: the answer never says less than what is there, nor more.
 */
export async function takeBody(body: IngestBody, deps: TakeBodyDeps): Promise<IngestResult> {
  const { target, budget, runLimits, sender, limitBytes, read } = deps;
  const limits = runLimits.begin();
  const tally = createRunTally();
  const refused = createRefusedList((letters) => target.appendDeadLetters(letters));
  const batches = createStepBatches({
    append: (records) => target.appendSteps(records),
    taken: (steps) => {
      for (const { run } of steps) tally.of(run).accepted += 1;
    },
    refuse: ({ index, run, record, source }, { message, facts }) => {
      tally.of(run).refused += 1;
      const expected = facts.limit === undefined ? 'a record that the log takes' : `at most ${facts.limit} bytes`;
      const got = `${facts.bytes ?? record.value.length} bytes`;
      return refused.add(index, { field: '', expected, got, message }, source);
    },
  });
  let readTo = 0;
  /** Bytes of the body before what is still being put together to a record. */
  let takenTo = 0;
  let index = 0;

  async function* counted(share: Share): AsyncGenerator<Buffer> {
    for await (const chunk of decodedBody(body, limitBytes)) {
      readTo += chunk.length;
      share.hold(readTo - takenTo + batches.held());
      limits.hold(share.held());
      yield chunk;
    }
  }

  async function takeAll(share: Share): Promise<void> {
    const chunks = counted(share);
    try {
      for await (const step of read(chunks)) {
        await takeOne(step, share);
        index++;
        takenTo = readTo;
      }
    } finally {
      // Whoever stops in the middle lets go of the body, and of what unpacks it.
      await chunks.return(undefined);
    }
  }

  async function takeOne(step: ReadStep, share: Share): Promise<void> {
    const { run } = step;
    // First, whatever else is wrong with it: what is said of a record of another run must not tell of that run.
    const why = run === null ? null : sender.refusal(run);
    if (run !== null && why !== null) {
      tally.forbid();
      return refused.forbid(index, run, why);
    }
    if (run !== null) limits.take(run, share.held());
    const source = withoutChunk(step.source);
    if ('record' in step) return batches.add({ index, run: step.run, record: step.record, source });
    if (run !== null) tally.of(run).refused += 1;
    await refused.add(index, step.refused, source);
  }

  const errors: unknown[] = [];
  const attempt = (work: Promise<void>): Promise<unknown> => work.catch((error: unknown) => errors.push(error));
  try {
    const length = body.contentEncoding === '' ? body.contentLength : null;
    // Before it takes what is shared: else requests of a run that is over its quota would hold it for a moment each.
    const { only } = sender;
    if (only !== null) limits.reserve(only, shareOf(length));
    const share = budget.admit(length);
    await attempt(takeAll(share));
    await attempt(batches.flush());
    await attempt(refused.flush());
    share.release();
  } catch (error) {
    errors.push(error);
  } finally {
    limits.release();
  }
  const last = errors.at(-1);
  if (last instanceof RollstreamError && last.code === 'RS_RUN_QUOTA') tally.limit(last.facts);
  return {
    ...{ accepted: batches.accepted(), refusedCount: refused.count() },
    // What the log did not take is known later than what came behind it.
    refused: refused.named.toSorted((a, b) => a.index - b.index),
    // An outage, which comes after, says more than a torn body: it can be tried again.
    error: errors.length > 0 ? asAnswered(last, index) : batches.accepted() > 0 ? null : refused.forbidden(),
    tally,
  };
}

/** A few bytes of a large chunk would keep all of it in memory for as long as they wait. */
function withoutChunk(source: RecordBytes): RecordBytes {
  const { bytes } = source;
  const isMost = bytes === null || bytes.length * 4 > bytes.buffer.byteLength;
  return isMost ? source : { ...source, bytes: Buffer.from(bytes) };
}

/** A body that breaks off is the sender's error; it is told how far it was read. */
function asAnswered(error: unknown, index: number): unknown {
  if (!(error instanceof BodyFault)) return error;
  return new RollstreamError('RS_USAGE', `${error.message}; nothing was read from record ${index} on`, {
    cause: error,
    facts: { record: index },
  });
}
