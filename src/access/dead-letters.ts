import { RollstreamError } from '../errors.ts';
import type { Access } from './access.ts';

/** A record that could not be read, without its bytes. */
export interface DeadLetterLine {
  /** Its name: `topic/partition/offset`, of where it was. */
  readonly letter: string;
  readonly stage: string;
  readonly code: string;
  readonly field: string;
  readonly expected: string;
  readonly got: string;
  readonly bytes: number;
  /** UTC. */
  readonly appended_at: string;
}

export interface DeadLetterRecord extends DeadLetterLine {
  readonly topic: string;
  /** null: it had none. */
  readonly key: Buffer | null;
  readonly value: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

export interface DeadLetterFilter {
  /** '': any. */
  readonly stage: string;
  readonly code: string;
  /** At most so many, the latest. */
  readonly limit: number;
}

const FACTS = `concat(topic, '/', toString(partition), '/', toString("offset")) AS letter, stage, code, field, expected, got,
  length(value) AS bytes, toString(appended_at) AS appended_at`;

/** The latest, oldest first. */
export async function listDeadLetters(
  access: Access,
  { stage, code, limit }: DeadLetterFilter,
): Promise<DeadLetterLine[]> {
  const sql = `SELECT * FROM (
  SELECT ${FACTS}, appended_at AS at, topic, partition, "offset" FROM rollstream.dead_letters AS d FINAL
  WHERE ({stage:String} = '' OR stage = {stage:String}) AND ({code:String} = '' OR code = {code:String})
  ORDER BY d.appended_at DESC, topic DESC, partition DESC, "offset" DESC LIMIT {limit:UInt32}
) ORDER BY at, topic, partition, "offset"`;
  const rows = await rowsOf<DeadLetterLine>(access, sql, { stage, code, limit });
  return rows.map(lineOf);
}

/** RS_NOT_FOUND where there is none of that name. */
export async function readDeadLetter(access: Access, letter: string): Promise<DeadLetterRecord> {
  const [, topic = '', partition = '', offset = ''] = /^(.+)\/(\d+)\/(\d+)$/.exec(letter) ?? [];
  if (topic === '') {
    throw new RollstreamError(
      'RS_USAGE',
      `${letter}: a letter is named topic/partition/offset, as dead-letter list does`,
    );
  }
  const sql = `SELECT ${FACTS}, topic, isNull(key) AS keyless, hex(ifNull(key, '')) AS key_hex, hex(value) AS value_hex, headers
FROM rollstream.dead_letters FINAL
WHERE topic = {topic:String} AND partition = {partition:Int32} AND "offset" = {offset:Int64}`;
  const [row] = await rowsOf<DeadLetterLine & HexRow>(access, sql, { topic, partition, offset });
  if (row === undefined) throw new RollstreamError('RS_NOT_FOUND', `there is no dead letter ${letter}`);
  return {
    ...lineOf(row),
    topic,
    key: Number(row.keyless) === 1 ? null : Buffer.from(row.key_hex, 'hex'),
    value: Buffer.from(row.value_hex, 'hex'),
    headers: row.headers,
  };
}

interface HexRow {
  readonly keyless: number;
  readonly key_hex: string;
  readonly value_hex: string;
  readonly headers: Readonly<Record<string, string>>;
}

function lineOf({ letter, stage, code, field, expected, got, bytes, appended_at }: DeadLetterLine): DeadLetterLine {
  return { letter, stage, code, field, expected, got, bytes: Number(bytes), appended_at };
}

/** The statements above say what their rows are. */
async function rowsOf<Row>(access: Access, sql: string, params: Parameters<Access['query']>[2]): Promise<Row[]> {
  const lines = (await access.query(sql, 'jsonl', params)).split('\n').filter((line) => line !== '');
  return lines.map((line): Row => JSON.parse(line));
}
