import { unitOf } from '../../processors/model/unit.ts';
import type { Store } from '../clickhouse/port.ts';
import { lookupTrajectoriesOf } from '../clickhouse/trajectory-lookup.ts';
import { completeTrajectory } from '../ready/complete-trajectory.ts';
import { unpackTrajectory } from '../ready/unpack.ts';
import { type DecidedKey, keyOf } from './decided-pages.ts';

/** Trajectories of a page as JSON Lines, each as `ready --json` has it, in the order of the page. */
export async function trajectoryLines(store: Store, runId: string, page: readonly DecidedKey[]): Promise<string> {
  const rolloutIds = Array.from(new Set(page.map(({ rollout_id }) => rollout_id)));
  const found = await lookupTrajectoriesOf(store, { runId, rolloutIds });
  const byKey = new Map(
    found.map((trajectory) => {
      const { run_id, epoch = 0, group_id = null, rollout_id, attempt = 0 } = trajectory;
      const unit = unitOf({ run_id, epoch, group_id, rollout_id });
      return [keyOf({ unit, rollout_id, attempt }), trajectory];
    }),
  );
  return page
    .flatMap((key) => byKey.get(keyOf(key)) ?? [])
    .map((trajectory) => `${JSON.stringify(unpackTrajectory(completeTrajectory(trajectory)))}\n`)
    .join('');
}
