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
}

/** Events that producers send over HTTP. Nothing is answered before it is durable. */
export interface Ingest {
  steps(body: IngestBody): Promise<IngestResult>;
  verdicts(body: IngestBody): Promise<IngestResult>;
  /** Nothing more comes from this producer: what it left open closes. The same `eventId` again changes nothing; null: it is another end. */
  producerEnded(producerId: string, eventId: string | null): Promise<void>;
}
