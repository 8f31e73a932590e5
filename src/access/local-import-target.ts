import type { App } from '../app.ts';
import { topicNames } from '../config/topics.ts';
import { refuseClosedRecords } from '../runs/refuse-closed-records.ts';
import type { Access } from './access.ts';
import { drainedByGroup } from './drained-by-group.ts';
import type { ImportTarget } from './import-target.ts';
import { createKeepLetters } from './keep-letters.ts';

/** The log that this process has open. Draining is done by the lanes of this process, or by the workers of the group. */
export function createLocalImportTarget(app: App, access: Access): ImportTarget {
  const { broker, store, topics, lanes, group } = app;
  const prefix = topics.steps.slice(0, -topicNames('').steps.length);
  return {
    // A prefix of the topics is part of their subjects; who sends records does not know it.
    register: (subject, schema) => app.registry.register(`${prefix}${subject}`, schema),
    async appendSteps(records) {
      // A changed policy is an event: what is imported under it has to stand behind it in the log.
      await lanes?.restored();
      refuseClosedRecords(app.runs, records);
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
      const asked = new AbortController();
      const wait = async (): Promise<void> => {
        // Our own lanes flush at once; those of other workers within their interval.
        await lanes?.drained();
        await drainedByGroup(broker, { group, topic: topics.steps }, asked.signal);
      };
      try {
        await (lanes === null ? wait() : Promise.race([wait(), lanes.failed]));
      } finally {
        asked.abort();
      }
    },
    closedRuns: async () => app.runs.closed(),
    accounting: access.accounting,
  };
}
