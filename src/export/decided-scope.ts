/**
 * Decisions of a run that an export holds, as a condition on `live_decisions`. Parameters: run, and until (µs since the epoch):
 * what is decided later is not in it, so that all its statements speak of the same.
 */
export function decidedScope(all: boolean): string {
  const decided = `run_id = {run:String} AND decided_at <= fromUnixTimestamp64Micro({until:Int64}, 'UTC')`;
  return all ? decided : `${decided} AND ${IS_READY}`;
}

/** As the books count it: what waits for the gate of its run is not ready. */
const IS_READY = `disposition IN ('train', 'train_masked', 'penalise')
  AND (NOT held OR (run_id, unit, rollout_id, attempt) IN
    (SELECT run_id, unit, rollout_id, attempt FROM rollstream.released FINAL))`;
