import type { ConnectionOptions } from 'node:tls';
import type { Logger } from 'pino';

export interface KafkaOptions {
  /** `host:port` of one or more brokers. */
  readonly brokers: readonly string[];
  readonly clientId?: string;
  /** Absent: no authentication. */
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
  /** Absent or false: no TLS. true: TLS with the system's certificate authorities. */
  readonly tls?: boolean | ConnectionOptions;
  /** What one record may weigh: key, value and headers. Topics are created for batches of 8 MB. */
  readonly maxRecordBytes?: number;
  /** Copies of each partition of a topic that is created. Absent: the cluster's default. */
  readonly replicationFactor?: number;
  readonly log?: Logger;
  /** Told each time that a group gives this process its partitions, the first time included. */
  readonly onRebalance?: () => void;
}

/** A dead worker's open transaction hides what came after it from read_committed readers for so long. */
export const TRANSACTION_TIMEOUT_MS = 10_000;
/** A member that has been silent for so long has lost its lanes. */
export const SESSION_TIMEOUT_MS = 10_000;
/** A broker that has not answered for so long is down. */
export const REQUEST_TIMEOUT_MS = 10_000;
export const CONNECT_TIMEOUT_MS = 5_000;
