/** As `isKept` says of a disposition (processors/model/is-kept.ts), in SQL. */
export const IS_KEPT = "disposition IN ('train', 'train_masked', 'penalise')";

/**
 * Keys of the attempts that `decisions` has of these units: `trajectories` is in their order, and its columns are large. Ids travel as
 * hex where they are parameters, since no parameter holds half a character.
 */
export const KEY = '(run_id, epoch, rollout_id, attempt)';

export function keysOf(replayIds: string): string {
  return `${KEY} IN (SELECT run_id, epoch, rollout_id, attempt FROM rollstream.decisions
    WHERE replay_id IN (${replayIds}) AND unit IN {units:Array(String)})`;
}
