import type { AttemptIdentity } from '../../processors/model/attempt.ts';
import type { Store } from './port.ts';
import type { TermFound } from './terms-lookup.ts';

/** An attempt that had started and was not decided when a frontier was committed. */
export interface OpenAttemptFound extends AttemptIdentity {
  readonly unit: string;
  /** µs since the epoch; null when the source has no time. */
  readonly started_at: number | null;
  /** Of its start event. */
  readonly offset: number;
}

export interface OpenAttemptsAsked {
  readonly topic: string;
  readonly partition: number;
  /** No attempt of an open unit began below it. */
  readonly watermark: number;
  readonly frontier: number;
  /** The term that committed the frontier. */
  readonly term: number;
}

/**
 * What was open at a committed frontier, from the rows that count there: attempts that have no decision.
 * `known` are the terms up to the asking one: what it says of the term before it holds here too.
 */
export async function lookupOpenAttempts(
  store: Store,
  { topic, partition, watermark, frontier, term }: OpenAttemptsAsked,
  known: readonly TermFound[],
): Promise<OpenAttemptFound[]> {
  const restored = new Map(known.map((one) => [one.term, one.restored]));
  const terms = known.map((one) => one.term).filter((one) => one <= term);
  // As the view `owned` bounds them, with the frontier of the commit: the lanes row may be of a cut that was never committed.
  const ends = (one: number) => restored.get(one + 1) ?? (one === term ? frontier : 0);
  const below = terms.map((one) => Math.min(ends(one), frontier));
  const counts = `topic = {topic:String} AND partition = {partition:Int32} AND replay_id = ''
     AND offset >= {watermark:Int64} AND offset < transform(term, {terms:Array(UInt32)}, {below:Array(Int64)}, toInt64(0))`;
  return store.query<OpenAttemptFound>(
    `SELECT run_id, purpose, env_name, task_id, epoch, group_id, group_size, rollout_id, attempt, unit,
       toUnixTimestamp64Micro(started_at) AS started_at, offset
     FROM rollstream.attempts FINAL
     WHERE ${counts} AND (run_id, unit, rollout_id, attempt) NOT IN (
       SELECT run_id, unit, rollout_id, attempt FROM rollstream.decisions FINAL WHERE ${counts}
     )
     ORDER BY offset`,
    { topic, partition, watermark, terms, below },
  );
}
