import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { SASLOptions } from 'kafkajs';
import { RollstreamError } from '../../errors.ts';

/**
 * The parts of kafkajs that are used: connections (TLS, SASL, time-outs) and the encoding of small requests. Its consumer and
 * producer are not. A consumer pushes batches, resets an offset out of range by committing another, and redelivers; its producer
 * hides whether a transaction was committed. Reached by path, so the version is checked.
 */
const KAFKAJS_VERSION = '2.2.4';

export interface KafkaConnection {
  readonly sasl: SASLOptions | null;
  readonly clientId: string;
  readonly socket: Socket;
  readonly requestQueue: RequestQueue;
  isAuthenticated(): boolean;
  authenticate(): Promise<void>;
  nextCorrelationId(): number;
  rejectRequests(error: Error): void;
}

export interface RequestQueue {
  readonly pending: readonly unknown[];
  throttledUntil: number;
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  push(request: {
    readonly entry: {
      readonly apiKey: number;
      readonly apiName: string;
      readonly apiVersion: number;
      readonly correlationId: number;
      readonly resolve: (answer: { readonly payload: Buffer }) => void;
      readonly reject: (error: Error) => void;
    };
    readonly expectResponse: boolean;
    readonly requestTimeout: number;
    readonly sendRequest: () => void;
  }): void;
  maybeThrottle(throttleMs: number): void;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

interface ConnectionPool {
  readonly pool: readonly KafkaConnection[];
  getConnection(index: number): Promise<KafkaConnection>;
}

interface TxnScope {
  readonly transactionalId: string;
  readonly producerId: number;
  readonly producerEpoch: number;
}

interface TopicPartitions<P> {
  readonly topic: string;
  readonly partitions: readonly P[];
}

/** kafkajs calls it a broker: one server of the cluster. */
export interface KafkaNode {
  readonly connectionPool: ConnectionPool;
  readonly versions: Readonly<Record<number, { readonly minVersion: number; readonly maxVersion: number }>> | null;
  isConnected(): boolean;
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  metadata(topics: readonly string[]): Promise<{
    readonly controllerId: number;
    readonly brokers: ReadonlyArray<{ readonly nodeId: number; readonly host: string; readonly port: number }>;
    readonly topicMetadata: ReadonlyArray<{
      readonly topic: string;
      readonly partitionMetadata: ReadonlyArray<{
        readonly partitionId: number;
        readonly leader: number;
        readonly replicas: readonly number[];
      }>;
    }>;
  }>;
  findGroupCoordinator(request: {
    readonly groupId: string;
    readonly coordinatorType: number;
  }): Promise<{ readonly coordinator: { readonly host: string; readonly port: number } }>;
  createTopics(request: {
    readonly topics: ReadonlyArray<{
      readonly topic: string;
      readonly numPartitions: number;
      readonly replicationFactor: number;
      readonly configEntries: ReadonlyArray<{ readonly name: string; readonly value: string }>;
    }>;
    readonly timeout: number;
  }): Promise<unknown>;
  describeConfigs(request: {
    readonly resources: ReadonlyArray<{
      readonly type: number;
      readonly name: string;
      readonly configNames: readonly string[];
    }>;
  }): Promise<{
    readonly resources: ReadonlyArray<{
      readonly resourceName: string;
      readonly configEntries: ReadonlyArray<{ readonly configName: string; readonly configValue: string }>;
    }>;
  }>;
  listOffsets(request: {
    readonly isolationLevel: number;
    readonly topics: readonly TopicPartitions<{ readonly partition: number; readonly timestamp: number }>[];
  }): Promise<{
    readonly responses: readonly TopicPartitions<{ readonly partition: number; readonly offset: string }>[];
  }>;
  addPartitionsToTxn(request: TxnScope & { readonly topics: readonly TopicPartitions<number>[] }): Promise<unknown>;
  addOffsetsToTxn(request: TxnScope & { readonly groupId: string }): Promise<unknown>;
  txnOffsetCommit(
    request: TxnScope & {
      readonly groupId: string;
      readonly topics: readonly TopicPartitions<{
        readonly partition: number;
        readonly offset: number;
        readonly metadata: string;
      }>[];
    },
  ): Promise<unknown>;
  endTxn(request: TxnScope & { readonly transactionResult: boolean }): Promise<unknown>;
  joinGroup(request: {
    readonly groupId: string;
    readonly sessionTimeout: number;
    readonly rebalanceTimeout: number;
    readonly memberId: string;
    readonly groupProtocols: ReadonlyArray<{ readonly name: string; readonly metadata: Buffer }>;
  }): Promise<{
    readonly generationId: number;
    readonly leaderId: string;
    readonly memberId: string;
    readonly members: ReadonlyArray<{ readonly memberId: string }>;
  }>;
  syncGroup(request: {
    readonly groupId: string;
    readonly generationId: number;
    readonly memberId: string;
    readonly groupAssignment: ReadonlyArray<{ readonly memberId: string; readonly memberAssignment: Buffer }>;
  }): Promise<{ readonly memberAssignment: Buffer }>;
  heartbeat(request: {
    readonly groupId: string;
    readonly groupGenerationId: number;
    readonly memberId: string;
  }): Promise<unknown>;
  leaveGroup(request: { readonly groupId: string; readonly memberId: string }): Promise<unknown>;
}

interface KafkaLogger {
  namespace(name: string): KafkaLogger;
}

export interface KafkaLogEntry {
  readonly label: string;
  readonly namespace: string;
  readonly log: { readonly message: string; readonly [fact: string]: unknown };
}

interface Internals {
  readonly createLogger: (options: {
    readonly level: number;
    readonly logCreator: () => (entry: KafkaLogEntry) => void;
  }) => KafkaLogger;
  readonly Broker: new (options: {
    readonly connectionPool: ConnectionPool;
    readonly logger: KafkaLogger;
    readonly authenticationTimeout: number;
    readonly allowAutoTopicCreation: boolean;
  }) => KafkaNode;
  readonly ConnectionPool: new (options: {
    readonly host: string;
    readonly port: number;
    readonly logger: KafkaLogger;
    readonly socketFactory: unknown;
    readonly clientId: string;
    readonly connectionTimeout: number;
    readonly requestTimeout: number;
    readonly ssl: ConnectionOptions | undefined;
    readonly sasl: SASLOptions | undefined;
  }) => ConnectionPool;
  readonly createSocketFactory: () => unknown;
  readonly createErrorFromCode: (code: number) => Error;
  readonly RequestQueue: { readonly prototype: RequestQueue };
}

function load(): Internals {
  const require = createRequire(import.meta.url);
  const { version }: { readonly version: string } = require('kafkajs/package.json');
  if (version !== KAFKAJS_VERSION) {
    throw new RollstreamError('RS_INTERNAL', `kafkajs ${KAFKAJS_VERSION} is needed, ${version} is installed`);
  }
  return {
    createLogger: require('kafkajs/src/loggers').createLogger,
    Broker: require('kafkajs/src/broker'),
    ConnectionPool: require('kafkajs/src/network/connectionPool'),
    createSocketFactory: require('kafkajs/src/network/socketFactory'),
    createErrorFromCode: require('kafkajs/src/protocol/error').createErrorFromCode,
    RequestQueue: require('kafkajs/src/network/requestQueue'),
  };
}

export const kafkajs: Internals = load();
