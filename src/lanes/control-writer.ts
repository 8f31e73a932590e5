import { deadlineEvent, policyEvent, sourceEndedEvent } from '../../processors/control/control-event.ts';
import type { Due } from '../../processors/control/deadlines.ts';
import type { InForce } from '../../processors/model/control.ts';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { Broker } from '../broker/port.ts';
import type { Codecs } from '../registry/codecs.ts';

/** Writes what the pipeline decides into the log: it acts when it comes back, at its offset. */
export interface ControlWriter {
  deadlines(partition: number, due: readonly Due[]): Promise<void>;
  policy(partition: number, inForce: InForce): Promise<void>;
  /** To every partition: the producer has ended. */
  sourceEnded(producerId: string, eventId: string): Promise<void>;
}

export async function createControlWriter(
  broker: Pick<Broker, 'append' | 'partitionsOf'>,
  codecs: Codecs,
  topic: string,
): Promise<ControlWriter> {
  const encode = await codecs.encoderOf<StepEventInit>(`${topic}-value`, stepEventSchema);
  const headers = { 'rollstream-control': '1' };
  return {
    async deadlines(partition, due) {
      await broker.append(
        topic,
        due.map((one) => ({ key: one.unit.key, value: encode(deadlineEvent(one)), headers, partition })),
      );
    },
    async policy(partition, inForce) {
      // The ids stand in the headers too: a lane loads the documents before it folds the record.
      const eventId = `${partition}|${inForce.policy_id}|${inForce.taxonomy_id}`;
      await broker.append(topic, [
        { key: null, value: encode(policyEvent(inForce, eventId)), headers: { ...headers, ...inForce }, partition },
      ]);
    },
    async sourceEnded(producerId, eventId) {
      const partitions = await broker.partitionsOf(topic);
      const value = encode(sourceEndedEvent(producerId, eventId));
      await broker.append(
        topic,
        Array.from({ length: partitions }, (_, partition) => ({ key: null, value, headers, partition })),
      );
    },
  };
}
