import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import type { GateState } from '../../../processors/model/gate.ts';
import type { Policy } from '../../../processors/model/policy.ts';
import { type StepEvent, stepEventSchema } from '../../../schemas/generated/step-event.ts';
import { openEmbeddedBroker } from '../../../src/broker/embedded/open-embedded-broker.ts';
import type { Store } from '../../../src/clickhouse/port.ts';
import type { GateRow } from '../../../src/clickhouse/tables/gates.ts';
import { topicNames, topicSpecs } from '../../../src/config/topics.ts';
import { createChangeGate } from '../../../src/gate/change-gate.ts';
import { createLookAtGates } from '../../../src/gate/look-at-gates.ts';
import { createSetGate } from '../../../src/gate/set-gate.ts';
import { createControlWriter } from '../../../src/lanes/control-writer.ts';
import { createCodecs } from '../../../src/registry/codecs.ts';
import { openLocalRegistry } from '../../../src/registry/local/open-local-registry.ts';
import { policyText } from '../../processors/harness.ts';

export const PARTITIONS = 2;
const { steps } = topicNames('');

/** The policy that is shipped, with a gate of its own. */
export function policyWith(gate: string): Policy {
  const parsed = readPolicy(parse(`${policyText()}\ngate: ${gate}\n`), 'test');
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

/** A log of two partitions beside a store, and everything that changes gates on them. */
export async function openGateBench(store: Store) {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-gate-'));
  const broker = await openEmbeddedBroker({ folder, now: () => 1_700_000_000_000 });
  await broker.ensureTopics(topicSpecs('', PARTITIONS));
  const codecs = createCodecs(await openLocalRegistry({ folder }));
  const decode = codecs.decoderOf<StepEvent>(stepEventSchema);
  const told: GateRow[] = [];
  const clock = { nowMs: 1_800_000_000_000 };
  const counted: Array<ReadonlyMap<GateState, number>> = [];
  const now = () => {
    clock.nowMs += 1;
    return clock.nowMs;
  };
  const gates = createChangeGate({
    ...{ store, now, tell: (row) => told.push(row) },
    control: () => createControlWriter(broker, codecs, steps),
  });
  const bench = { policy: policyWith('{}') };
  const policy = async () => bench.policy;
  return {
    ...{ broker, told, clock, counted, gates, bench },
    /** An evaluator that has just taken over. */
    evaluator: () => createLookAtGates({ store, gates, policy, topic: steps, counted: (runs) => counted.push(runs) }),
    setGate: createSetGate({ store, gates, policy, now }),
    /** States that the events of a partition put in force for a run, in order. */
    async eventsOf(run: string, partition = 0): Promise<string[]> {
      const records = await broker.read(steps, partition, 0, { maxBytes: 1 << 24, maxWaitMs: 0 });
      const states: string[] = [];
      for (const { value } of records) {
        if (value === null) continue;
        await codecs.prepare(new Set([value.readInt32BE(1)]));
        const event = decode(value);
        if (event.kind === 'ok' && event.value.run_id === run)
          states.push([event.value.control?.gate?.state, ...(event.value.control?.gate?.classes ?? [])].join(' '));
      }
      return states;
    },
    rowsOf: (run: string) =>
      store.query<{ seq: number; state: string; by: string; why: string }>(
        `SELECT toUInt32(g.seq) AS seq, state, by, why_json AS why FROM rollstream.gates AS g FINAL
         WHERE run_id = {run:String} ORDER BY g.seq`,
        { run },
      ),
    async close() {
      await broker.close();
      await rm(folder, { recursive: true });
    },
  };
}
