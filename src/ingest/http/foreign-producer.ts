import type { Store } from '../../clickhouse/port.ts';

/** Whether a producer has written in a run that is none of these, as far as the store knows. */
export type IsForeignProducer = (producerId: string, runs: ReadonlySet<string>) => Promise<boolean>;

const SQL = `SELECT 1 AS found FROM rollstream.steps
WHERE producer_id = {producer:String} AND NOT has({runs:Array(String)}, run_id) LIMIT 1`;

export function createIsForeignProducer(store: Pick<Store, 'query'>): IsForeignProducer {
  return async function isForeignProducer(producer, runs) {
    return (await store.query<{ found: number }>(SQL, { producer, runs: [...runs] })).length > 0;
  };
}
