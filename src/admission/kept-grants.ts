import type { Broker } from '../broker/port.ts';
import type { KeptGrants } from './grants.ts';

/** Grants by run, on the compacted topic rollstream.state: what a server that starts again has promised. */
export interface GrantKeeper {
  load(): Promise<Map<string, KeptGrants>>;
  /** Resolves when it is durable. */
  keep(runId: string, grants: KeptGrants): Promise<void>;
  /** The run was deleted. */
  forget(runId: string): Promise<void>;
}

/** Lanes keep theirs under other keys. */
const KEY = 'admission/';
const READ_BYTES = 1 << 20;

export function createGrantKeeper(broker: Pick<Broker, 'append' | 'bounds' | 'read'>, topic: string): GrantKeeper {
  return {
    async load() {
      const found = new Map<string, KeptGrants>();
      const { start, end } = await broker.bounds(topic, 0);
      for (let offset = start; offset < end; ) {
        const records = await broker.read(topic, 0, offset, { maxBytes: READ_BYTES, maxWaitMs: 0 });
        const last = records.at(-1);
        if (last === undefined) break;
        offset = last.offset + 1;
        for (const { key, value } of records) {
          const name = key?.toString() ?? '';
          if (!name.startsWith(KEY)) continue;
          const runId = name.slice(KEY.length);
          if (value === null) found.delete(runId);
          else found.set(runId, JSON.parse(value.toString()));
        }
      }
      return found;
    },
    async keep(runId, grants) {
      await broker.append(topic, [{ key: KEY + runId, value: Buffer.from(JSON.stringify(grants)), partition: 0 }]);
    },
    async forget(runId) {
      await broker.append(topic, [{ key: KEY + runId, value: null, partition: 0 }]);
    },
  };
}
