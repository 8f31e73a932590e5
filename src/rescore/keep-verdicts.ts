import type { Store } from '../clickhouse/port.ts';
import { encodeReplayVerdicts } from '../clickhouse/tables/replay-verdicts.ts';
import type { NewVerdictOf } from './new-verdicts.ts';

/** Verdicts that a replay is to score with. Of two of one scorer about one turn the one that came last counts. */
export async function keepVerdicts(
  store: Pick<Store, 'insert'>,
  replayId: string,
  verdicts: readonly NewVerdictOf[],
  atMs: number,
): Promise<void> {
  if (verdicts.length === 0) return;
  const rows = verdicts.map(({ verdict, ...of }, i) => ({
    ...{ replay_id: replayId, run_id: of.run_id, epoch: of.epoch, unit: of.unit, rollout_id: of.rollout_id },
    ...{ attempt: of.attempt, turn: verdict.bound_to ?? -1, scorer: verdict.scorer },
    ...{ scorer_version: verdict.scorer_version, status: verdict.status, rewards: verdict.rewards },
    ...{ report: verdict.report_json, atMs, version: (BigInt(atMs) << 16n) | BigInt(i & 0xffff) },
  }));
  await store.insert(encodeReplayVerdicts(rows));
}

/** Verdicts that were kept for a replay, refusals among them. */
export async function countVerdicts(store: Pick<Store, 'query'>, replayId: string): Promise<number> {
  const [row] = await store.query<{ readonly n: number }>(
    'SELECT toUInt32(count()) AS n FROM rollstream.replay_verdicts FINAL WHERE replay_id = {id:String}',
    { id: replayId },
  );
  return row?.n ?? 0;
}
