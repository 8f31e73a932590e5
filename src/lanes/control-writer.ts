import {
  deadlineEvent,
  gateEvent,
  policyEvent,
  sourceEndedEvent,
  weightsEvent,
} from '../../processors/control/control-event.ts';
import type { Due } from '../../processors/control/deadlines.ts';
import type { DocumentIds } from '../../processors/model/control.ts';
import type { GateInForce } from '../../processors/model/gate.ts';
import type { WeightsEvent } from '../../processors/model/weights.ts';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { Broker, NewRecord } from '../broker/port.ts';
import type { Codecs } from '../registry/codecs.ts';

/** Writes what the pipeline decides into the log: it acts when it comes back, at its offset. */
export interface ControlWriter {
  deadlines(partition: number, due: readonly Due[]): Promise<void>;
  policy(partition: number, ids: DocumentIds): Promise<void>;
  /** Not written here: it goes with the commit that says that it was. `source` is its offset in policy.versions. */
  weights(partition: number, announced: Announced): NewRecord;
  /** To every partition: the producer has ended. */
  sourceEnded(producerId: string, eventId: string): Promise<void>;
  /** To every partition: the gate of the run. The same `eventId` again is known as a repeat by its row, and changes nothing. */
  gate(runId: string, gate: GateInForce, whyJson: string | null, eventId: string): Promise<void>;
}

/** A version of the weights of a run, and where it was announced. */
export interface Announced extends WeightsEvent {
  readonly runId: string;
  readonly source: number;
}

export async function createControlWriter(
  broker: Pick<Broker, 'append' | 'partitionsOf'>,
  codecs: Codecs,
  topic: string,
): Promise<ControlWriter> {
  const encode = await codecs.encoderOf<StepEventInit>(`${topic}-value`, stepEventSchema);
  const headers = { 'rollstream-control': '1' };
  const toEveryPartition = async (event: StepEventInit): Promise<void> => {
    const partitions = await broker.partitionsOf(topic);
    const value = encode(event);
    await broker.append(
      topic,
      Array.from({ length: partitions }, (_, partition) => ({ key: null, value, headers, partition })),
    );
  };
  return {
    async deadlines(partition, due) {
      await broker.append(
        topic,
        due.map((one) => ({ key: one.unit.key, value: encode(deadlineEvent(one)), headers, partition })),
      );
    },
    async policy(partition, { policy_id, taxonomy_id }) {
      // The ids stand in the headers too: a lane loads the documents before it folds the record.
      const eventId = `${partition}|${policy_id}|${taxonomy_id}`;
      await broker.append(topic, [
        {
          key: null,
          value: encode(policyEvent({ policy_id, taxonomy_id }, eventId)),
          headers: { ...headers, policy_id, taxonomy_id },
          partition,
        },
      ]);
    },
    weights(partition, announced) {
      const { runId, source } = announced;
      return { key: null, value: encode(weightsEvent(runId, announced, `${partition}|${source}`)), headers, partition };
    },
    sourceEnded: (producerId, eventId) => toEveryPartition(sourceEndedEvent(producerId, eventId)),
    gate: (runId, gate, whyJson, eventId) => toEveryPartition(gateEvent(runId, gate, whyJson, eventId)),
  };
}
