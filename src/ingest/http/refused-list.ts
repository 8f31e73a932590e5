import type { FramedRecord } from '../../access/record-frames.ts';
import type { RollstreamError } from '../../errors.ts';
import { MAX_LETTER_BYTES } from '../import-sink.ts';
import type { Refusal } from '../importer.ts';
import type { RefusedRecord } from './ingest.ts';
import type { RecordBytes } from './read-step.ts';

/** An answer names so many; the rest is in dead-letter. */
const MOST_NAMED = 1_000;
/** Of a text that was sent to us: a key may be megabytes. */
const MOST_CHARACTERS = 300;
/** Letters that are written together. */
const BATCH = { letters: 500, bytes: 1024 * 1024 };

/** What was not taken of one body: named in its answer, and kept, but for what the sender may not write. */
export interface RefusedList {
  add(index: number, refusal: Refusal, source: RecordBytes): Promise<void>;
  /** Named, and not kept: none of its run is taken from this sender. */
  forbid(index: number, run: string, why: RollstreamError): void;
  /** Resolves when all of them are in dead-letter. */
  flush(): Promise<void>;
  readonly named: readonly RefusedRecord[];
  count(): number;
  /** The first why, where all of them are of runs that take nothing from the sender; null: some were refused as they are. */
  forbidden(): RollstreamError | null;
}

export function createRefusedList(keep: (letters: readonly FramedRecord[]) => Promise<void>): RefusedList {
  const named: RefusedRecord[] = [];
  /** By content: the same bytes again are the same letter. */
  let letters = new Map<string, FramedRecord>();
  let bytes = 0;
  let count = 0;
  let keptCount = 0;
  let firstForbidden: RollstreamError | null = null;

  async function flush(): Promise<void> {
    const batch = [...letters.values()];
    letters = new Map();
    bytes = 0;
    await keep(batch);
  }

  return {
    named,
    count: () => count,
    flush,
    forbidden: () => (keptCount === 0 ? firstForbidden : null),
    forbid(index, run, why) {
      count++;
      firstForbidden ??= why;
      if (named.length >= MOST_NAMED) return;
      const [expected, got] = ['a run that takes records from this sender', cut(run)];
      named.push({ index, field: 'run_id', expected, got, message: cut(why.message), code: why.code });
    },
    async add(index, refusal, source) {
      count++;
      keptCount++;
      const { field, expected, got, message } = refusal;
      const record = { index, field: cut(field), expected: cut(expected), got: cut(got), message: cut(message) };
      if (named.length < MOST_NAMED) named.push(record);
      letters.set(source.sha256, letterOf(record, source));
      bytes += source.length;
      if (letters.size >= BATCH.letters || bytes >= BATCH.bytes) await flush();
    },
  };
}

function letterOf({ index, ...refusal }: RefusedRecord, { bytes, sha256, length }: RecordBytes): FramedRecord {
  const headers = { stage: 'ingest', index: String(index), length: String(length), ...refusal };
  const kept = bytes !== null && length <= MAX_LETTER_BYTES ? bytes : Buffer.alloc(0);
  return { key: sha256, headers, value: kept };
}

/** Short, and such that it can be written down. */
function cut(text: string): string {
  const short = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
  return short.toWellFormed();
}
