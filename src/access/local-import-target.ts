import type { App } from '../app.ts';
import type { Access } from './access.ts';
import type { ImportTarget } from './import-target.ts';
import { createKeepLetters } from './keep-letters.ts';

/** The log of this process. The app must have lanes: they are what drains. */
export function createLocalImportTarget(app: App, access: Access): ImportTarget {
  const { broker, store, topics, lanes } = app;
  return {
    register: (subject, schema) => app.registry.register(subject, schema),
    async appendSteps(records) {
      await broker.append(topics.steps, records);
    },
    appendDeadLetters: createKeepLetters({ broker, store, topic: topics.deadLetter, now: Date.now }),
    async appendToEveryPartition(record) {
      const partitions = await broker.partitionsOf(topics.steps);
      // No key: it belongs to no unit.
      const copies = Array.from({ length: partitions }, (_, partition) => ({ ...record, key: null, partition }));
      await broker.append(topics.steps, copies);
    },
    async drained() {
      if (lanes !== null) await Promise.race([lanes.drained(), lanes.failed]);
    },
    accounting: access.accounting,
  };
}
