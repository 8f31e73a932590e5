import type { GateState } from '../../processors/model/gate.ts';
import type { Store } from '../clickhouse/port.ts';
import { readLastGates } from '../gate/last-gates.ts';
import type { DecisionJson, HeldBy } from './explanation.ts';

interface Attempts {
  readonly runId: string;
  readonly unit: string;
  readonly rolloutId: string;
  readonly decisions: ReadonlyArray<DecisionJson & { readonly attempt: number }>;
}

/** What still holds attempts that the policy would let train, by attempt; one that is not held is absent. */
export async function readHeldBy(
  store: Pick<Store, 'query'>,
  { runId, unit, rolloutId, decisions }: Attempts,
): Promise<ReadonlyMap<number, HeldBy>> {
  const held = decisions.filter((decision) => decision.held);
  if (held.length === 0) return new Map();
  const released = await store.query<{ attempt: number }>(
    `SELECT attempt FROM rollstream.released FINAL
     WHERE run_id = {run:String} AND unit = {unit:String} AND rollout_id = {rollout:String}`,
    { run: runId, unit, rollout: rolloutId },
  );
  const left = new Set(released.map(({ attempt }) => attempt));
  const gate = (await readLastGates(store, runId)).get(runId);
  const by: HeldBy = {
    // Without a change yet, it is the preflight of the policy.
    state: gate?.state ?? ('preflight' satisfies GateState),
    since: gate === undefined ? null : new Date(gate.atMs).toISOString(),
    by: gate?.by ?? 'policy',
    why: gate === undefined ? null : JSON.parse(gate.why_json),
  };
  return new Map(held.filter(({ attempt }) => !left.has(attempt)).map(({ attempt }) => [attempt, by] as const));
}
