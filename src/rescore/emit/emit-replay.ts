import type { Logger } from 'pino';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Broker } from '../../broker/port.ts';
import type { Store } from '../../clickhouse/port.ts';
import type { TopicNames } from '../../config/topics.ts';
import type { LaneSettings } from '../../lanes/lane-settings.ts';
import type { Sleep } from '../../lanes/sleep.ts';
import type { Codecs } from '../../registry/codecs.ts';
import type { EmitRequest } from '../replay-request.ts';
import type { EmittedCounts } from '../replays.ts';

/** Most of it is the program itself (src/app.ts). */
export interface EmitReplayDeps {
  readonly broker: Pick<Broker, 'transactional' | 'committed' | 'bounds' | 'read' | 'partitionsOf'>;
  readonly store: Pick<Store, 'query' | 'insert'>;
  /** null: nothing that is too large for a record can be emitted. */
  readonly blobs: BlobStore | null;
  readonly codecs: Codecs;
  readonly topics: TopicNames;
  /** Consumer group of the lanes. */
  readonly group: string;
  readonly settings: LaneSettings;
  readonly log: Logger;
  readonly sleep: Sleep;
  /** ms since the epoch. */
  readonly now: () => number;
}

export interface EmitArgs {
  /** Its decisions and trajectories are in the store, all of them. */
  readonly replayId: string;
  readonly emit: EmitRequest;
  /** What it is compared with: the live decisions (''), or an earlier replay. */
  readonly against: string;
  /** Aborted: it ends with RS_INTERRUPTED behind the last whole transaction; asked again it goes on there. */
  readonly signal: AbortSignal;
  /** Trajectories so far, those of earlier tries included. */
  readonly onProgress: (emitted: number) => void;
}

export type EmitReplay = (args: EmitArgs) => Promise<EmittedCounts>;

export function createEmitReplay(_deps: EmitReplayDeps): EmitReplay {
  return function emitReplay() {
    throw new Error('not made yet');
  };
}
