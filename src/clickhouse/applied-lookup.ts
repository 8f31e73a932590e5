import type { Store } from './port.ts';

export interface LastApplied {
  readonly policy_id: string;
  readonly number: number;
}

/** The policy that was applied last to a log; null: none ever was. */
export async function readLastApplied(store: Pick<Store, 'query'>, topic: string): Promise<LastApplied | null> {
  const rows = await store.query<LastApplied>(
    'SELECT policy_id, toUInt32(number) AS number FROM rollstream.applied WHERE topic = {topic:String} ORDER BY number DESC, policy_id LIMIT 1',
    { topic },
  );
  return rows[0] ?? null;
}
