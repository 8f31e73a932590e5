import type { ErrorCode } from '../../errors.ts';
import type { SenderRuns } from './run-check.ts';
import type { RunTally } from './run-tally.ts';

/** The body of a request, and what its headers say of it. */
export interface IngestBody {
  /** '' where there is none. */
  readonly contentType: string;
  readonly contentEncoding: string;
  /** null: nobody said. */
  readonly contentLength: number | null;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** A record that was not taken. */
export interface RefusedRecord {
  /** From 0, in the order of the body. */
  readonly index: number;
  /** Path of the field; '' when it is the whole record. */
  readonly field: string;
  readonly expected: string;
  readonly got: string;
  readonly message: string;
  /** None of its run is taken from this sender, whatever it is; and it is in no dead-letter. */
  readonly code?: ErrorCode;
}

/** What became of a body. */
export interface IngestResult {
  /** Records that are durable; of what came after an error, nothing is claimed. */
  readonly accepted: number;
  readonly refusedCount: number;
  /** The first of them. */
  readonly refused: readonly RefusedRecord[];
  /** Why the rest was not taken; null: all of it was read. */
  readonly error: unknown;
  readonly tally: Pick<RunTally, 'runs' | 'forbidden'>;
}

/** Events that producers send over HTTP. Nothing is answered before it is durable. */
export interface Ingest {
  steps(body: IngestBody, sender: SenderRuns): Promise<IngestResult>;
  verdicts(body: IngestBody, sender: SenderRuns): Promise<IngestResult>;
  /**
   * Nothing more comes from this producer: what it left open closes. The same `eventId` again changes nothing; null: it is another end.
   * `runs`: those of the sender, null all; RS_FORBIDDEN where the producer has written in another.
   */
  producerEnded(producerId: string, eventId: string | null, runs: ReadonlySet<string> | null): Promise<void>;
}
