import type { ReaderLimits } from '../clickhouse/reader-limits.ts';
import type { LaneSettings } from '../lanes/lane-settings.ts';
import type { LogLevel } from './keys.ts';
import type { ServicesConfig } from './services-config.ts';

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
    readonly token: string | null;
  };
  /** The store as a ClickHouse server; embedded mode only. null: not served. */
  readonly clickhouseHttp: {
    /** null: 8123, else the next free one. */
    readonly port: number | null;
    readonly writable: boolean;
  } | null;
  readonly limits: {
    readonly bodyBytes: number;
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
  /** False while nobody chose it: a topic that exists is taken with the partitions it has. */
  readonly partitionsGiven: boolean;
  /** null: embedded. */
  readonly services: ServicesConfig | null;
  readonly logLevel: LogLevel | 'auto';
}
