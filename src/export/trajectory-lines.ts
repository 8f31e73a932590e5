import { unitOf } from '../../processors/model/unit.ts';
import type { TrajectoryInit } from '../../schemas/generated/trajectory.ts';
import type { Store } from '../clickhouse/port.ts';
import { lookupTrajectoriesOf } from '../clickhouse/trajectory-lookup.ts';
import { completeTrajectory } from '../ready/complete-trajectory.ts';
import { unpackTrajectory } from '../ready/unpack.ts';
import { type DecidedKey, keyOf, rolloutsOf } from './decided-pages.ts';
import { leftOutLine } from './left-out.ts';

/** Trajectories of a page as JSON Lines, each as `ready --json` has it, in the order of the page. */
export async function trajectoryLines(store: Store, runId: string, page: readonly DecidedKey[]): Promise<string> {
  const found = await lookupTrajectoriesOf(store, { runId, rolloutIds: rolloutsOf(page) });
  const byKey = new Map(
    found.map((trajectory) => {
      const { run_id, epoch = 0, group_id = null, rollout_id, attempt = 0 } = trajectory;
      const unit = unitOf({ run_id, epoch, group_id, rollout_id });
      return [keyOf({ unit, rollout_id, attempt }), trajectory];
    }),
  );
  return page.map((key) => lineOf(key, byKey.get(keyOf(key)))).join('');
}

function lineOf(key: DecidedKey, trajectory: TrajectoryInit | undefined): string {
  if (trajectory === undefined) return leftOutLine(key, 'not_found');
  const { segments, segment_count } = trajectory;
  // The largest of all are in their blobs alone.
  if (segments.length < segment_count) return leftOutLine(key, 'tokens_not_in_store');
  return `${JSON.stringify(unpackTrajectory(completeTrajectory({ ...trajectory, segments_ref: null })))}\n`;
}
