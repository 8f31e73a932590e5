import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openBlobFolder } from '../../../../src/blobs/open-blob-folder.ts';
import { openEmbeddedBroker } from '../../../../src/broker/embedded/open-embedded-broker.ts';
import type { LogRecord } from '../../../../src/broker/port.ts';
import { encodeDocuments } from '../../../../src/clickhouse/tables/documents.ts';
import { laneGroup, topicNames, topicSpecs } from '../../../../src/config/topics.ts';
import { sleep } from '../../../../src/lanes/sleep.ts';
import { createCodecs } from '../../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../../src/registry/local/open-local-registry.ts';
import type { EmitArgs, EmitReplayDeps } from '../../../../src/rescore/emit/emit-replay.ts';
import { policyText } from '../../../processors/harness.ts';
import { temporaryStore } from '../../clickhouse/temporary-store.ts';
import { laneSettings } from './lane-settings.ts';
import { writeOwnership } from './replayed-groups.ts';

/** Log, store and blobs in a folder of their own, and what emits into them. */
export async function emitPipeline() {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-emit-'));
  const temporary = await temporaryStore();
  await writeOwnership(temporary.store);
  await temporary.store.insert(encodeDocuments([{ kind: 'policy', content: policyText() }]));
  const broker = await openEmbeddedBroker({ folder: join(folder, 'log'), now: Date.now });
  await broker.ensureTopics(topicSpecs('', 1));
  const codecs = createCodecs(await openLocalRegistry({ folder }));
  const topics = topicNames('');
  const blobs = openBlobFolder(join(folder, 'blobs'));
  const deps: EmitReplayDeps = {
    ...{ broker, store: temporary.store, blobs, codecs, topics, group: laneGroup(''), settings: laneSettings('') },
    ...{ log: pino({ level: 'silent' }), sleep, now: Date.now },
  };
  return {
    ...{ broker, store: temporary.store, codecs, topics, blobs, deps },
    async recordsOf(topic: string): Promise<LogRecord[]> {
      const { end } = await broker.bounds(topic, 0);
      const all: LogRecord[] = [];
      while ((all.at(-1)?.offset ?? -1) < end - 1) {
        const next = (all.at(-1)?.offset ?? -1) + 1;
        all.push(...(await broker.read(topic, 0, next, { maxBytes: 1 << 24, maxWaitMs: 0 })));
      }
      return all;
    },
    /** Emitted by a replay, in order: the rollouts of each. */
    async rolloutsOf(replayId: string): Promise<string[]> {
      const records = await this.recordsOf(topics.ready);
      const rows = await temporary.store.query<{ rollout_id: string }>(
        'SELECT rollout_id FROM rollstream.replay_emitted FINAL WHERE replay_id = {id:String} ORDER BY position, rollout_id',
        { id: replayId },
      );
      const rollouts = rows.map(({ rollout_id }) => rollout_id);
      const sent = records.filter(({ headers }) => headers.replay === replayId).length;
      if (sent !== rollouts.length) throw new Error(`${sent} records, and ${rollouts.length} rows`);
      return rollouts;
    },
    async close() {
      await broker.close();
      await temporary.remove();
      await rm(folder, { recursive: true });
    },
  };
}

export function emitArgs(replayId: string, over: Partial<EmitArgs> = {}): EmitArgs {
  return {
    ...{ replayId, against: '', emit: { topic: null, again: false, stale: 'leave_out' } },
    ...{ signal: new AbortController().signal, isFirst: false, onProgress: () => undefined },
    ...over,
  };
}
