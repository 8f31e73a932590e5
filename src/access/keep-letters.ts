import type { DeadLetterRow } from '../../processors/model/effects.ts';
import type { Broker } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import { encodeDeadLetters } from '../clickhouse/tables/dead-letters.ts';
import type { FramedRecord } from './record-frames.ts';

/** What stands in `dead_letters.topic` for what never was on a topic: a line that an importer refused, a record of an HTTP body. */
const NO_TOPIC: Readonly<Record<string, string>> = { import: 'import', ingest: 'ingest' };
/** Of the SHA-256, as many digits as a number holds exactly: the place of a letter, the same whenever its bytes come again. */
const PLACE_HEX_DIGITS = 12;

export interface KeepLettersDeps {
  readonly broker: Broker;
  readonly store: Store;
  readonly topic: string;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Refused lines and records into dead-letter: the topic, then the table. Bytes that are there already change nothing. */
export function createKeepLetters({
  broker,
  store,
  topic,
  now,
}: KeepLettersDeps): (letters: readonly FramedRecord[]) => Promise<void> {
  return async function keepLetters(letters) {
    if (letters.length === 0) return;
    const rows = letters.map((letter) => rowOf(letter, now()));
    const known = await store.query<{ topic: string; place: number }>(
      `SELECT topic, "offset" AS place FROM rollstream.dead_letters FINAL
WHERE topic IN {topics:Array(String)} AND "offset" IN {places:Array(Int64)}`,
      { topics: Object.values(NO_TOPIC), places: rows.map((row) => row.offset) },
    );
    const names = new Set(known.map(({ topic: from, place }) => `${from}/${place}`));
    const isFresh = (row: DeadLetterRow | undefined): boolean => !names.has(`${row?.topic}/${row?.offset}`);
    const fresh = letters.filter((_, i) => isFresh(rows[i]));
    if (fresh.length === 0) return;
    await broker.append(topic, fresh);
    await store.insert(encodeDeadLetters(rows.filter(isFresh), { topic, term: 0 }));
  };
}

function rowOf({ key, headers, value }: FramedRecord, appendedAtMs: number): DeadLetterRow {
  const { stage = 'import', field = '', expected = '', got = '' } = headers;
  return {
    topic: NO_TOPIC[stage] ?? 'import',
    partition: 0,
    offset: Number.parseInt(key.toString().slice(0, PLACE_HEX_DIGITS), 16),
    appendedAtMs,
    key: Buffer.from(key),
    value,
    headers,
    fault: { stage, code: 'refused_line', field, expected, got },
  };
}
