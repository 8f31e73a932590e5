import type { InsertBatch } from './port.ts';

type Insert = (batch: InsertBatch) => Promise<void>;

interface Waiting {
  readonly batch: InsertBatch;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Rows of so many bytes are sent by themselves: what is joined is held twice while it is sent. */
const MAX_JOINED_BYTES = 32 * 1024 * 1024;

/**
 * Batches of one table that come while another is under way are sent as one (RowBinary has no head: bytes behind bytes are rows
 * behind rows). An insert of a row costs as much as one of a thousand, 15 ms and a dozen fsyncs, and the lanes of a process flush
 * at the same pace. What fails, fails for each of them: each sends its own rows again, and keys and versions make them one.
 */
export function coalesceInserts(insert: Insert): Insert {
  const underWay = new Set<string>();
  const queues = new Map<string, Waiting[]>();

  function nextOf(table: string): Waiting[] {
    const queue = queues.get(table) ?? [];
    const columns = queue[0]?.batch.columns;
    let bytes = 0;
    let count = 0;
    for (const { batch } of queue) {
      bytes += batch.rowBinary.length;
      const joins = batch.columns.length === columns?.length && batch.columns.every((name, i) => name === columns[i]);
      if (count > 0 && (!joins || bytes > MAX_JOINED_BYTES)) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  async function drain(table: string): Promise<void> {
    underWay.add(table);
    for (let taken = nextOf(table); taken.length > 0; taken = nextOf(table)) {
      try {
        await insert(joined(taken.map(({ batch }) => batch)));
        for (const { resolve } of taken) resolve();
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    underWay.delete(table);
    queues.delete(table);
  }

  return function coalesced(batch) {
    return new Promise((resolve, reject) => {
      const queue = queues.get(batch.table) ?? [];
      queues.set(batch.table, queue);
      queue.push({ batch, resolve, reject });
      if (!underWay.has(batch.table)) void drain(batch.table);
    });
  };
}

function joined(batches: readonly InsertBatch[]): InsertBatch {
  const [first] = batches;
  if (first === undefined) throw new Error('nothing to join');
  if (batches.length === 1) return first;
  return {
    table: first.table,
    columns: first.columns,
    rowCount: batches.reduce((sum, { rowCount }) => sum + rowCount, 0),
    rowBinary: Buffer.concat(batches.map(({ rowBinary }) => rowBinary)),
  };
}
