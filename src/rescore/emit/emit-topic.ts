import type { Broker, Transaction } from '../../broker/port.ts';
import type { TopicNames } from '../../config/topics.ts';
import { RollstreamError } from '../../errors.ts';
import type { EmitRequest } from '../replay-request.ts';

type Sent = Transaction['records'][number];

export interface EmitTopic {
  readonly topic: string;
  /** The one that trainers are served from. */
  readonly isReady: boolean;
  /** A record in its partition: of `ready` there is one; elsewhere its unit says, so that groups stay together. */
  readonly placed: (sent: Sent) => Sent;
}

/** RS_UNKNOWN_TOPIC: nobody has created it; RS_USAGE: it is one of the pipeline's own, which something else is written to. */
export async function emitTopicOf(
  broker: Pick<Broker, 'partitionsOf'>,
  topics: TopicNames,
  { topic: asked }: EmitRequest,
): Promise<EmitTopic> {
  const topic = asked ?? topics.ready;
  if (topic === topics.ready) return { topic, isReady: true, placed: (sent) => sent };
  if (Object.values(topics).includes(topic))
    throw new RollstreamError(
      'RS_USAGE',
      `emit.topic: ${topic} is for something else, choose another or ${topics.ready}`,
      {
        facts: { field: 'emit.topic' },
      },
    );
  await broker.partitionsOf(topic);
  return {
    topic,
    isReady: false,
    placed: ({ record: { key, value, headers = {} } }) => ({ topic, record: { key, value, headers } }),
  };
}
