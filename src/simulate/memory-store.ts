import type { InsertBatch, QueryParams } from '../clickhouse/port.ts';
import { type ReadValue, RowBinaryReader, readerOf, type Value } from './row-binary-reader.ts';
import type { TableShape } from './table-shapes.ts';

export type Row = Readonly<Record<string, Value>>;

/** ReplacingMergeTree read with FINAL: of the rows of one key the highest version is there, of equal ones the last inserted. */
export interface MemoryStore {
  insert(batch: InsertBatch): void;
  /** The few statements that lanes ask, told apart by their table and parameters. */
  query(sql: string, params: QueryParams): Row[];
  rows(table: string): Row[];
  /** Takes a row away; the returned function puts it back. */
  remove(table: string, row: Row): () => void;
}

const known = new WeakMap<TableShape['types'], ReadonlyMap<string, ReadValue>>();

function readersOf(types: TableShape['types']): ReadonlyMap<string, ReadValue> {
  const readers = known.get(types) ?? new Map(Array.from(types, ([column, type]) => [column, readerOf(type)]));
  known.set(types, readers);
  return readers;
}

export function createMemoryStore(shapes: ReadonlyMap<string, TableShape>): MemoryStore {
  const tables = new Map<string, Map<string, Row>>();
  const shapeOf = (table: string): TableShape => {
    const shape = shapes.get(table);
    if (shape === undefined) throw new Error(`the migrations make no table ${table}`);
    return shape;
  };
  const tableOf = (name: string): Map<string, Row> => {
    const table = tables.get(name) ?? new Map<string, Row>();
    tables.set(name, table);
    return table;
  };
  const rows = (table: string): Row[] => [...tableOf(table).values()];

  return {
    rows,
    insert({ table: name, columns, rowCount, rowBinary }) {
      const { types, key } = shapeOf(name);
      const table = tableOf(name);
      const reader = new RowBinaryReader(rowBinary);
      const readers = readersOf(types);
      const cells = columns.map((column) => ({ column, read: readers.get(column) ?? readerOf(`${name}.${column}`) }));
      for (let i = 0; i < rowCount; i++) {
        const row: Record<string, Value> = {};
        for (const { column, read } of cells) row[column] = read(reader);
        const id = keyOf(key, row);
        const old = table.get(id);
        if (old === undefined || (row.version ?? 0) >= (old.version ?? 0)) table.set(id, row);
      }
      if (!reader.isAtEnd) throw new Error(`${name}: bytes after the last row`);
    },
    query(sql, params) {
      const table = /^\s*SELECT [\w,\s]+ FROM rollstream\.(decisions FINAL|terms FINAL|lanes FINAL|documents)\b/.exec(
        sql,
      )?.[1];
      if (/FROM rollstream\.gates FINAL ORDER BY seq DESC LIMIT 1 BY run_id$/.test(sql))
        return lastGates(rows('gates'));
      // Simulated runs are never deleted.
      if (/FROM rollstream\.released WHERE/.test(sql)) return lastReleased(rows('released'), Number(params.from));
      if (/FROM rollstream\.attempts FINAL/.test(sql)) return openAttempts(rows('attempts'), rows('decisions'), params);
      if (table === undefined) throw new Error(`a query that the simulation does not know: ${sql}`);
      const found = rows(table.replace(' FINAL', '')).filter((row) => matches(row, params));
      if (table === 'terms FINAL') return found.sort((a, b) => Number(a.term) - Number(b.term));
      return table === 'documents' || table === 'lanes FINAL'
        ? found
        : found.filter((row) => row.replay_id === '').sort(byUnit);
    },
    remove(name, row) {
      const id = keyOf(shapeOf(name).key, row);
      tableOf(name).delete(id);
      return () => tableOf(name).set(id, row);
    },
  };
}

function keyOf(key: readonly string[], row: Row): string {
  return JSON.stringify(key.map((column) => row[column]));
}

/** `units` and `runs` are lists of the columns unit and run_id; the other parameters are named as their columns. */
function matches(row: Row, params: QueryParams): boolean {
  const columns: Record<string, string> = { units: 'unit', runs: 'run_id' };
  return Object.entries(params).every(([name, wanted]) => {
    const value = row[columns[name] ?? name];
    return Array.isArray(wanted) ? wanted.some((one) => one === value) : wanted === value;
  });
}

/** Attempts that count and have no decision that counts: `below` says from which offset on rows of each term do not. */
function openAttempts(attempts: readonly Row[], decisions: readonly Row[], params: QueryParams): Row[] {
  const { topic, partition, watermark, terms, below } = params;
  const bounds = new Map(Array.isArray(terms) && Array.isArray(below) ? terms.map((term, i) => [term, below[i]]) : []);
  const counts = (row: Row): boolean =>
    row.topic === topic &&
    row.partition === partition &&
    row.replay_id === '' &&
    Number(row.offset) >= Number(watermark) &&
    Number(row.offset) < Number(bounds.get(Number(row.term)) ?? 0);
  const id = ({ run_id, unit, rollout_id, attempt }: Row) => JSON.stringify([run_id, unit, rollout_id, attempt]);
  const decided = new Set(decisions.filter(counts).map(id));
  return attempts
    .filter((row) => counts(row) && !decided.has(id(row)))
    .sort((a, b) => Number(a.offset) - Number(b.offset));
}

/** Of each run the row of the highest seq. */
function lastGates(gates: readonly Row[]): Row[] {
  const last = new Map<Value | undefined, Row>();
  for (const row of gates) if (Number(row.seq) > Number(last.get(row.run_id)?.seq ?? 0)) last.set(row.run_id, row);
  return [...last.values()];
}

function lastReleased(released: readonly Row[], from: number): Row[] {
  const last = new Map<Value, number>();
  for (const { run_id = null, held_offset } of released)
    if (Number(held_offset) >= from) last.set(run_id, Math.max(Number(held_offset), last.get(run_id) ?? 0));
  return Array.from(last, ([run_id, offset]) => ({ run_id, last: offset }));
}

function byUnit(a: Row, b: Row): number {
  const [left, right] = [a, b].map(({ unit, attempt, rollout_id }) => JSON.stringify([unit, attempt, rollout_id]));
  return (left ?? '') < (right ?? '') ? -1 : 1;
}
