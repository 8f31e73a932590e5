import type { Logger } from 'pino';
import type { Broker } from '../broker/port.ts';
import type { Store } from '../clickhouse/port.ts';
import type { Recorder } from '../observe/recorder.ts';
import type { Registry } from '../registry/port.ts';

/** Log, registry and store, wherever they are. */
export interface Backends {
  readonly broker: Broker;
  readonly registry: Registry;
  readonly store: Store;
  /** Before lanes start: tables and topics exist, and none is set up so that records could be lost. */
  prepare(): Promise<void>;
  /** Before something only reads or appends: the tables are those of this build. */
  check(): Promise<void>;
}

export interface BackendDeps {
  readonly log: Logger;
  readonly recorder: Recorder;
  /** ms since the epoch. */
  readonly now: () => number;
  /** Where other commands reach this process; null: nowhere. */
  readonly url: string | null;
  /** Takes what has to be closed, in the order of opening. */
  readonly onOpened: (close: () => Promise<void>) => void;
}
