import type { Logger } from 'pino';
import { MOST_VERSIONS } from '../../processors/model/weights.ts';
import type { Broker, TransactionalProducer } from '../broker/port.ts';
import { RollstreamError } from '../errors.ts';
import type { AnnouncedVersions } from '../versions/announced-versions.ts';
import type { ControlWriter } from './control-writer.ts';
import { createRetryOutage } from './retry-outage.ts';
import type { Sleep } from './sleep.ts';

export interface ForwardDeps {
  readonly broker: Pick<Broker, 'transactional' | 'committed'>;
  readonly versions: AnnouncedVersions;
  readonly control: Pick<ControlWriter, 'weights'>;
  readonly log: Logger;
  readonly sleep: Sleep;
  /** Names of the lanes' group, of rollout.steps and of policy.versions. */
  readonly group: string;
  readonly stepsTopic: string;
  readonly versionsTopic: string;
}

/** Works for one partition until `ended`, or until another process does. */
export type ForwardVersions = (partition: number, ended: AbortSignal) => Promise<void>;

/** How long a read waits for an announcement. */
const WAIT_MS = 2_000;
/** Who is fenced and still has the lane after so long takes the id again. */
const FENCED_WAIT_MS = 10_000;
const MOST_A_TRANSACTION = 500;

/**
 * policy.versions → control events in the partition of a lane that this process holds, each once: the event and how far
 * policy.versions is read are one transaction, under an id that fences a process that had the partition before. Where Kafka
 * has forgotten the commit (offsets of a group that is not used expire), they come again, and folding knows them by their ordinal.
 */
export function createForwardVersions(deps: ForwardDeps): ForwardVersions {
  const { broker, versions, control, log, sleep, group, stepsTopic, versionsTopic } = deps;

  return async function forwardVersions(partition, ended) {
    const outage = createRetryOutage({ log, sleep, ended });
    const over = new Promise<void>((resolve) => ended.addEventListener('abort', () => resolve(), { once: true }));
    const id = `${group}.versions.${partition}`;
    const held: { producer: TransactionalProducer | null; position: number } = { producer: null, position: 0 };

    const forward = async (): Promise<void> => {
      if (held.producer === null) {
        // FENCE, THEN READ: what the process before was writing is in the commit, or never will be.
        const producer = await broker.transactional(id);
        held.position = (await broker.committed(id, versionsTopic, 0))?.offset ?? 0;
        held.producer = producer;
      }
      while (held.position < versions.position()) {
        const batch = versions.since(held.position, MOST_VERSIONS).slice(0, MOST_A_TRANSACTION);
        const isWhole = batch.length < MOST_A_TRANSACTION;
        const next = isWhole ? versions.position() : (batch.at(-1)?.source ?? 0) + 1;
        const records = batch.map((one) => ({ topic: stepsTopic, record: control.weights(partition, one) }));
        const commit = { group: id, topic: versionsTopic, partition: 0, offset: next, metadata: '' };
        await held.producer.run({ records, commit });
        held.position = next;
      }
    };

    const giveUpProducer = async (): Promise<void> => {
      const { producer } = held;
      held.producer = null;
      await producer?.close().catch((error: unknown) => log.warn({ partition, err: error }, 'closing a producer'));
    };

    try {
      while (!ended.aborted) {
        await Promise.race([over, outage('reading policy.versions', () => versions.readOn(WAIT_MS))]);
        // A pipeline whose trainer announces nothing has no producer for it.
        if (ended.aborted || versions.position() <= held.position) continue;
        await outage('forwarding weights versions', forward).catch(async (error: unknown) => {
          if (!(error instanceof RollstreamError && error.code === 'RS_FENCED')) throw error;
          await giveUpProducer();
          await sleep(FENCED_WAIT_MS, ended);
        });
      }
    } catch (error) {
      if (!ended.aborted) throw error;
    } finally {
      await giveUpProducer();
    }
  };
}
