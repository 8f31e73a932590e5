import type { Logger } from 'pino';
import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { type PolicyVersion, policyVersionSchema } from '../../schemas/generated/policy-version.ts';
import type { Broker, LogRecord } from '../broker/port.ts';
import type { Codecs } from '../registry/codecs.ts';
import { type Announcement, createVersionOrder, type Placed } from './version-order.ts';

export interface AnnouncedDeps {
  readonly broker: Pick<Broker, 'bounds' | 'read'>;
  readonly codecs: Codecs;
  readonly log: Logger;
  /** Name of policy.versions. */
  readonly topic: string;
}

/** policy.versions, as far as it was read. */
export interface AnnouncedVersions {
  /** Reads on to the end of the topic; when there is nothing new, waits so long for it. */
  readOn(waitMs: number): Promise<void>;
  /** Next offset to read. */
  position(): number;
  place(announced: PolicyVersion): Placed;
  current(runId: string): Announcement | null;
  since(source: number, most: number): Announcement[];
  named(runId: string): ReadonlyMap<string, Announcement>;
}

const READ_BYTES = 1 << 20;

/** All of the topic is read from its start: the order of the weights is that of all announcements. */
export function createAnnouncedVersions({ broker, codecs, log, topic }: AnnouncedDeps): AnnouncedVersions {
  const decode = codecs.decoderOf<PolicyVersion>(policyVersionSchema);
  const order = createVersionOrder();
  let position = 0;
  let reading: Promise<void> | null = null;

  const take = async (records: readonly LogRecord[]): Promise<void> => {
    const ids = new Set(records.map(({ value }) => (value === null ? null : schemaIdOf(value))));
    await codecs.prepare([...ids].filter((id) => typeof id === 'number'));
    for (const { offset, value } of records) {
      if (offset < position) continue;
      position = offset + 1;
      const outcome = value === null ? null : decode(value);
      const placed = outcome?.kind === 'ok' ? order.add(outcome.value, offset) : null;
      // Whoever writes past the API is not answered: it stands in the log of the program, and nowhere in the order.
      if (placed === null) log.warn({ topic, offset }, 'not an announcement of weights: left out');
      else if (placed.kind === 'refused') log.warn({ topic, offset, ...placed }, 'weights announced wrongly: left out');
    }
  };

  const read = async (waitMs: number): Promise<void> => {
    const { start } = await broker.bounds(topic, 0);
    if (position < start) {
      log.warn({ topic, position, start }, 'announcements are gone: versions before are unknown');
      position = start;
    }
    for (let wait = waitMs; ; wait = 0) {
      const records = await broker.read(topic, 0, position, { maxBytes: READ_BYTES, maxWaitMs: wait });
      if (records.length === 0) return;
      await take(records);
    }
  };

  return {
    readOn(waitMs) {
      // One at a time: who comes while it goes on waits for what it finds.
      reading ??= read(waitMs).finally(() => {
        reading = null;
      });
      return reading;
    },
    position: () => position,
    place: order.place,
    current: order.current,
    since: order.since,
    named: order.named,
  };
}
