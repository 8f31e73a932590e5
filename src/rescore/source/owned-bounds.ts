import type { BulkReader } from '../../clickhouse/port.ts';
import { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import { bytesLiteral } from './bytes-literal.ts';

/** How far the rows of each term of a partition count, as `owned` says. */
export interface OwnedBounds {
  readonly terms: readonly number[];
  /** First offset that rows of the term do not count at. */
  readonly below: readonly number[];
}

const NOTHING: OwnedBounds = { terms: [], below: [] };

/** Read once and put into statements as numbers: joined, `owned` would be computed with every piece. By partition. */
export async function readOwnedBounds(reader: BulkReader, topic: string): Promise<(partition: number) => OwnedBounds> {
  const rows = new RowBinaryReader(
    await reader.read(
      `SELECT toInt32(partition), toUInt32(term), toInt64(below) FROM rollstream.owned
       WHERE topic = ${bytesLiteral(topic)} AND below > 0`,
    ),
  );
  const known = new Map<number, { terms: number[]; below: number[] }>();
  while (!rows.isAtEnd) {
    const partition = rows.int32();
    const bounds = known.get(partition) ?? { terms: [], below: [] };
    known.set(partition, bounds);
    bounds.terms.push(rows.uint32());
    bounds.below.push(rows.int64());
  }
  return (partition) => known.get(partition) ?? NOTHING;
}

/** First offset of a partition that nothing counts at. */
export function endOf({ below }: OwnedBounds): number {
  return below.reduce((most, one) => Math.max(most, one), 0);
}

/**
 * Condition on rows of one partition that count and are below `end`. The same as `live_…` without its join; rows that a later one
 * with their key replaces are still among them, so that who reads takes the last of a key.
 */
export function countsBelow({ terms, below }: OwnedBounds, cause: 'cause' | 'offset', end: number): string {
  if (terms.length === 0) return 'false';
  const limits = below.map((limit) => Math.min(limit, end));
  return `${cause} < transform(term, [${terms.join(', ')}], [${limits.join(', ')}], 0)`;
}
