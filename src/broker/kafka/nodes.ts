import type { SASLOptions } from 'kafkajs';
import { RollstreamError } from '../../errors.ts';
import { CONNECT_TIMEOUT_MS, type KafkaOptions, REQUEST_TIMEOUT_MS } from './kafka-options.ts';
import { type KafkaLogEntry, type KafkaNode, kafkajs } from './kafkajs.ts';
import { repairRequestQueue } from './repair-request-queue.ts';

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** Connections of one user of the cluster, one for each node: a node answers the requests of a connection in order, so that who
 * must not wait for another has its own. */
export interface Nodes {
  /** One that answers. */
  any(): Promise<KafkaNode>;
  at(address: Address): Promise<KafkaNode>;
  /** Ends what is in flight with an error. */
  close(): Promise<void>;
}

const LOG_DEBUG = 5;
const LOG_NOTHING = 0;

repairRequestQueue(kafkajs.RequestQueue.prototype);

export function createNodes(options: KafkaOptions): Nodes {
  const seeds = options.brokers.map(addressOf);
  const open = new Map<string, KafkaNode>();
  const logger = kafkajs.createLogger({
    level: options.log === undefined ? LOG_NOTHING : LOG_DEBUG,
    logCreator: () => (entry) => logEntry(options, entry),
  });
  let closed = false;
  let preferred = 0;

  function create({ host, port }: Address): KafkaNode {
    return new kafkajs.Broker({
      connectionPool: new kafkajs.ConnectionPool({
        host,
        port,
        logger,
        socketFactory: kafkajs.createSocketFactory(),
        clientId: options.clientId ?? 'rollstream',
        connectionTimeout: CONNECT_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        ssl: options.tls === true ? {} : options.tls === false ? undefined : options.tls,
        sasl: saslOf(options),
      }),
      logger,
      authenticationTimeout: CONNECT_TIMEOUT_MS,
      allowAutoTopicCreation: false,
    });
  }

  async function at(address: Address): Promise<KafkaNode> {
    if (closed) throw new RollstreamError('RS_CLOSED', 'the connection to Kafka is closed');
    const id = `${address.host}:${address.port}`;
    let node = open.get(id);
    if (node === undefined) {
      node = create(address);
      open.set(id, node);
    }
    if (!node.isConnected()) await node.connect();
    return node;
  }

  return {
    at,
    async any() {
      for (let tries = 0; ; tries++) {
        const seed = seeds[preferred % seeds.length];
        if (seed === undefined) throw new RollstreamError('RS_CONFIG', 'no Kafka broker is configured');
        try {
          return await at(seed);
        } catch (error) {
          preferred++;
          if (closed || tries + 1 >= seeds.length) throw error;
        }
      }
    },
    async close() {
      closed = true;
      const ended = new RollstreamError('RS_CLOSED', 'the connection to Kafka is closed');
      await Promise.all(
        [...open.values()].map(async (node) => {
          // kafkajs waits for what is in flight before it disconnects, a long poll included.
          for (const connection of node.connectionPool.pool) connection.rejectRequests(ended);
          await node.disconnect();
        }),
      );
      open.clear();
    },
  };
}

function addressOf(broker: string): Address {
  const [, host = '', port = ''] = /^\[?(.+?)\]?:(\d{1,5})$/.exec(broker) ?? [];
  if (host === '') throw new RollstreamError('RS_CONFIG', `'${broker}' is no Kafka broker: host:port is needed`);
  return { host, port: Number(port) };
}

function saslOf({ sasl }: KafkaOptions): SASLOptions | undefined {
  if (sasl === undefined) return undefined;
  const { mechanism, username, password } = sasl;
  // One object a mechanism: the type of kafkajs is a union of them.
  if (mechanism === 'plain') return { mechanism, username, password };
  if (mechanism === 'scram-sha-256') return { mechanism, username, password };
  return { mechanism, username, password };
}

/** What kafkajs calls an error is, mostly, tried again: who gives up says so itself. */
function logEntry({ log }: KafkaOptions, { namespace, label, log: { message } }: KafkaLogEntry): void {
  log?.debug({ namespace, label }, message);
}
