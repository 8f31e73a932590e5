import type { ClosedState } from '../runs/run-state.ts';
import type { Access } from './access.ts';
import type { ImportTarget } from './import-target.ts';
import { type FramedRecord, frameRecords, RECORDS_TYPE } from './record-frames.ts';
import type { ServerClient } from './server-client.ts';

/** Well below the default body limit; one record may still be larger, and is then refused by the limit of the server. */
const BODY_BYTES = 4 * 2 ** 20;

/** The log of the server that owns the data folder. */
export function createRemoteImportTarget(request: ServerClient, access: Access): ImportTarget {
  const post = async (path: string, body: { type: string; bytes: string | Uint8Array }): Promise<string> => {
    const response = await request({ method: 'POST', path: `/v1/import/${path}`, body });
    return response.text();
  };
  const postRecords = async (path: string, records: readonly FramedRecord[]): Promise<void> => {
    for (const batch of batchesOf(records)) await post(path, { type: RECORDS_TYPE, bytes: frameRecords(batch) });
  };
  return {
    async register(subject, schema) {
      const body = { type: 'application/json', bytes: JSON.stringify({ subject, schema }) };
      const { id }: { id: number } = JSON.parse(await post('schema', body));
      return id;
    },
    appendSteps: (records) => postRecords('events', records),
    appendDeadLetters: (records) => postRecords('dead-letters', records),
    appendToEveryPartition: (record) => postRecords('ended', [record]),
    async drained() {
      for (;;) {
        const response = await request({ path: '/v1/import/drained' });
        const { drained }: { drained: boolean } = JSON.parse(await response.text());
        if (drained) return;
      }
    },
    async closedRuns() {
      const response = await request({ path: '/v1/import/closed-runs' });
      const { closed }: { closed: Array<[string, ClosedState]> } = JSON.parse(await response.text());
      return new Map(closed);
    },
    accounting: access.accounting,
  };
}

function* batchesOf(records: readonly FramedRecord[]): Generator<FramedRecord[]> {
  let batch: FramedRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    if (batch.length > 0 && bytes + record.value.length > BODY_BYTES) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(record);
    bytes += record.value.length + record.key.length;
  }
  if (batch.length > 0) yield batch;
}
