import type { StepEventInit } from '../../schemas/generated/step-event.ts';

/** An event and the message key of its unit. */
export interface KeyedEvent {
  readonly key: string;
  readonly event: StepEventInit;
}

/** Where an import goes. */
export interface ImportSink {
  /** Resolves when the events are durable. All events of one attempt that a record gives come in one batch. */
  append(events: readonly KeyedEvent[]): Promise<void>;
  /** Why nothing of this run is taken; null: it is. Absent: every run is. */
  refusal?(runId: string): string | null;
  /** What could not be taken. Keyed by its sha256: the same bytes again are the same letter. */
  deadLetter(letter: DeadLetter): Promise<void>;
  /** Nothing more comes from this producer. */
  sourceEnded(producerId: string): Promise<void>;
}

export interface DeadLetter {
  readonly file: string;
  /** From 1; 0: the file as a whole. */
  readonly line: number;
  /** Byte where the line begins, after gunzip. */
  readonly offset: number;
  /** null: over 8 MB, to be found by file and offset. */
  readonly bytes: Buffer | null;
  readonly sha256: string;
  readonly length: number;
  readonly message: string;
  readonly field: string;
  readonly expected: string;
  readonly got: string;
}

/** Larger lines are not copied into dead-letter. */
export const MAX_LETTER_BYTES = 8 * 1024 * 1024;
