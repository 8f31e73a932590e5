import type { ReaderLimits } from '../clickhouse/reader-limits.ts';
import type { IngestLimits } from '../ingest/http/create-ingest.ts';
import type { LaneSettings } from '../lanes/lane-settings.ts';
import type { RunQuota } from '../runs/quota.ts';
import type { LogLevel } from './keys.ts';
import type { ServicesConfig } from './services-config.ts';

/** How trajectories are leased, and what is kept beside the log. */
export interface DeliverySettings {
  /** A lease runs out after so long, unless it says otherwise or is extended. */
  readonly leaseMs: number;
  /** Grants of a trajectory before it counts as undeliverable. */
  readonly maxDeliveries: number;
  /** Checkpoints of a run that can be restored; what older ones hold is final. */
  readonly keptCheckpoints: number;
  /** Trained trajectories of a run that may wait for a checkpoint; over that its oldest become final without one. */
  readonly unsealedTrajectories: number;
  /** Where segments above the limit of a record go. Absolute; null: <data>/blobs, and on Kafka nowhere. */
  readonly blobFolder: string | null;
  /** Blobs that no ready record refers to any more are removed after so long. */
  readonly blobRetentionMs: number;
}

/** The configuration, resolved and checked. */
export interface Config {
  /** Absolute. */
  readonly data: string;
  /** False while nobody chose it: `--example` then has a folder of its own. */
  readonly dataGiven: boolean;
  readonly http: {
    readonly host: string;
    /** null: 8080, else the next free one. */
    readonly port: number | null;
    /** Where other servers reach this one; null: where it listens. */
    readonly advertisedUrl: string | null;
    readonly token: string | null;
    /** Absolute; null: tokens-file-of.ts says where. */
    readonly tokensFile: string | null;
  };
  /** The store as a ClickHouse server; embedded mode only. null: not served. */
  readonly clickhouseHttp: {
    /** null: 8123, else the next free one. */
    readonly port: number | null;
    readonly writable: boolean;
  } | null;
  readonly limits: {
    readonly bodyBytes: number;
    /** Of bodies of events. */
    readonly ingest: IngestLimits;
    /** Of each run that has none of its own. */
    readonly run: RunQuota;
    /** Of one statement of a user. */
    readonly query: ReaderLimits;
  };
  readonly lanes: LaneSettings;
  readonly gate: {
    /** Between two looks. */
    readonly intervalMs: number;
    /** Told of each change; null: nobody. */
    readonly webhook: string | null;
  };
  readonly replay: {
    /** Events of a chunk, about; null: as many as 64 MB hold. */
    readonly chunkEvents: number | null;
  };
  readonly delivery: DeliverySettings;
  /** False while nobody chose it: a topic that exists is taken with the partitions it has. */
  readonly partitionsGiven: boolean;
  /** null: embedded. */
  readonly services: ServicesConfig | null;
  readonly logLevel: LogLevel | 'auto';
}
