import type { DocumentIds } from '../../../processors/model/control.ts';
import type { Outcome } from '../../../processors/model/outcome.ts';
import type { StepEvent } from '../../../schemas/generated/step-event.ts';
import type { Broker } from '../../broker/port.ts';
import type { Store } from '../../clickhouse/port.ts';
import type { ReplaySource } from '../replay-source.ts';
import type { StoreScope } from './store-scope.ts';

export interface LogSourceDeps {
  readonly broker: Broker;
  /** What was decided, findings and verdicts that came afterwards are in the store alone. */
  readonly store: Pick<Store, 'queryAsReader' | 'openBulkReader'>;
  readonly topic: string;
  readonly partitions: number;
  readonly request: StoreScope;
  readonly override: Partial<DocumentIds>;
  /** As the lane decodes: by the schemas of the registry; never throws. */
  readonly decodeEvent: (value: Buffer) => Outcome<StepEvent>;
  /** Loads the schemas of a batch, before it is decoded (src/registry/codecs.ts). */
  readonly prepare: (ids: Iterable<number>) => Promise<void>;
  /** Of a chunk at most, about; absent: as many as 64 MB hold. */
  readonly chunkEvents?: number;
  readonly log: (message: string) => void;
}

/** Events of a replay out of the log: what is whole in [from, to) of each partition. */
export function createLogSource(_deps: LogSourceDeps): ReplaySource {
  throw new Error('not built yet');
}
