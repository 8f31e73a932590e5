import { noReadyStates } from '../../processors/model/delivery.ts';
import type { Access } from '../access/access.ts';
import { ofKnownRun } from '../access/known-run.ts';
import type { Delivery, DeliveryStatus } from '../delivery/delivery.ts';

/** Names kept, so that a trainer that asks in a loop costs one look. */
const MOST_KEPT = 10_000;

export interface KnownRuns {
  /** RS_NOT_FOUND for a run that nobody declared and nothing was started, announced or ready of: a misspelt name would otherwise wait for ever. */
  check(run: string): Promise<void>;
  /** What delivery knows; of a run that has only started, that nothing came yet. RS_NOT_FOUND as above. */
  status(run: string): Promise<DeliveryStatus>;
}

export function createKnownRuns({
  delivery,
  access,
  isDeclared = () => false,
}: {
  readonly delivery: Delivery;
  readonly access: Pick<Access, 'accounting'>;
  /** Somebody said that there is such a run. Absent: nobody ever did. */
  readonly isDeclared?: (run: string) => boolean;
}): KnownRuns {
  const known = new Set<string>();

  const status = async (run: string): Promise<DeliveryStatus> => {
    const found = await delivery.status(run);
    if (found === null && !isDeclared(run)) ofKnownRun(await access.accounting(run), run);
    if (known.size >= MOST_KEPT) known.clear();
    known.add(run);
    return found ?? nothingYet(run);
  };

  return {
    status,
    async check(run) {
      if (!known.has(run)) await status(run);
    },
  };
}

function nothingYet(run: string): DeliveryStatus {
  const states = noReadyStates();
  return { run, lineage: 0, unit: null, checkpoints: [{ lineage: 0, step: 0 }], states, waiting: 0, last: {} };
}
