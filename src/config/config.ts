import type { ReaderLimits } from '../clickhouse/reader-limits.ts';
import type { LaneSettings } from '../lanes/lane-settings.ts';
import type { LogLevel } from './keys.ts';

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
  readonly limits: {
    readonly bodyBytes: number;
    /** Of one statement of a user. */
    readonly query: ReaderLimits;
  };
  readonly lanes: LaneSettings;
  readonly logLevel: LogLevel | 'auto';
}
