import type { App } from '../app.ts';
import { RollstreamError } from '../errors.ts';
import { bad } from '../server/request-value.ts';
import { checkCondition } from './check-condition.ts';
import { emitTopicOf } from './emit/emit-topic.ts';
import type { KeptReplays } from './kept-replays.ts';
import type { ReplayPlace, ReplayRequest } from './replay-request.ts';

/** Refuses what could only fail later: names that nobody knows, places that are nowhere. The error names the field. */
export async function checkRequest(
  { broker, store, topics }: Pick<App, 'broker' | 'store' | 'topics'>,
  kept: Pick<KeptReplays, 'find'>,
  { runs, from, to, where, against, emit }: ReplayRequest,
): Promise<void> {
  const partitions = await broker.partitionsOf(topics.steps);
  checkPartition(from, 'from', partitions);
  checkPartition(to, 'to', partitions);
  if (runs.length > 0) {
    const known = await store.query<{ run_id: string }>(
      'SELECT DISTINCT run_id FROM rollstream.attempts WHERE run_id IN {runs:Array(String)}',
      { runs },
    );
    const names = new Set(known.map(({ run_id }) => run_id));
    const unknown = runs.find((run) => !names.has(run));
    if (unknown !== undefined)
      throw new RollstreamError('RS_NOT_FOUND', `no run is named ${unknown}`, { facts: { field: 'run' } });
  }
  if (against !== '') {
    const other = await kept.find(against);
    if (other === null || other.state !== 'done' || !other.saved)
      throw new RollstreamError('RS_NOT_FOUND', `no replay ${against} was saved and is done`, {
        facts: { field: 'against' },
      });
  }
  // Scoring may take hours, and emission comes after it.
  if (emit !== null) await emitTopicOf(broker, topics, emit);
  if (where !== null) await checkCondition(store, where);
}

function checkPartition(place: ReplayPlace | null, field: string, partitions: number): void {
  if (place?.kind !== 'offset' || place.partition === null || place.partition < partitions) return;
  throw bad(`${field}.partition`, `${field}.partition: the log has ${partitions}, from 0`);
}
