import type { ImportTarget } from '../../access/import-target.ts';
import { RollstreamError } from '../../errors.ts';
import { decodedBody } from './decoded-body.ts';
import type { IngestBody, IngestResult } from './ingest.ts';
import type { IngestBudget, Share } from './ingest-budget.ts';
import { BodyFault, type ReadStep, type RecordBytes } from './read-step.ts';
import { createRefusedList } from './refused-list.ts';
import { createStepBatches } from './step-batches.ts';

export interface TakeBodyDeps {
  readonly target: Pick<ImportTarget, 'appendSteps' | 'appendDeadLetters'>;
  readonly budget: IngestBudget;
  readonly limitBytes: number;
  /** Records of the bytes, in order. */
  readonly read: (chunks: AsyncIterable<Buffer>) => AsyncIterable<ReadStep>;
}

/**
 * Reads a body onto the log, record by record and in bounded memory. Whatever ends it early, what was whole before is made durable
 * and counted first: the answer never says less than what is there, nor more.
 */
export async function takeBody(body: IngestBody, deps: TakeBodyDeps): Promise<IngestResult> {
  const { target, budget, limitBytes, read } = deps;
  const refused = createRefusedList((letters) => target.appendDeadLetters(letters));
  const batches = createStepBatches({
    append: (records) => target.appendSteps(records),
    refuse: ({ index, record, source }, { message, facts }) => {
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
      yield chunk;
    }
  }

  async function takeAll(share: Share): Promise<void> {
    const chunks = counted(share);
    try {
      for await (const step of read(chunks)) {
        const source = withoutChunk(step.source);
        if ('refused' in step) await refused.add(index, step.refused, source);
        else await batches.add({ index, record: step.record, source });
        index++;
        takenTo = readTo;
      }
    } finally {
      // Whoever stops in the middle lets go of the body, and of what unpacks it.
      await chunks.return(undefined);
    }
  }

  const errors: unknown[] = [];
  const attempt = (work: Promise<void>): Promise<unknown> => work.catch((error: unknown) => errors.push(error));
  try {
    const share = budget.admit(body.contentEncoding === '' ? body.contentLength : null);
    await attempt(takeAll(share));
    await attempt(batches.flush());
    await attempt(refused.flush());
    share.release();
  } catch (error) {
    errors.push(error);
  }
  return {
    ...{ accepted: batches.accepted(), refusedCount: refused.count() },
    // What the log did not take is known later than what came behind it.
    refused: refused.named.toSorted((a, b) => a.index - b.index),
    // An outage, which comes after, says more than a torn body: it can be tried again.
    error: errors.length === 0 ? null : asAnswered(errors.at(-1), index),
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
