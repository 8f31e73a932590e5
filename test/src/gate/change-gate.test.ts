import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeGates } from '../../../src/clickhouse/tables/gates.ts';
import { encodeRuns } from '../../../src/clickhouse/tables/runs.ts';
import { createChangeGate } from '../../../src/gate/change-gate.ts';
import { newRunRow } from '../../../src/runs/write-run.ts';
import { type TemporaryStore, temporaryStore } from '../clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

it('writes the events of another process whose row took the same number while it was slow: lanes end with what the store says', async () => {
  const { store } = temporary;
  const run_id = 'twice';
  const said: string[] = [];
  const gates = createChangeGate({
    store,
    now: () => 7,
    tell: () => undefined,
    control: async () => ({
      async gate(_run, { state, seq }) {
        // The other one read the same last row, wrote its own and its event, all before this event.
        if (said.length === 0) {
          const row = { run_id, seq: 1, state: 'open', by: 'set', classes: [], why_json: '{}' } as const;
          await store.insert(encodeGates([{ ...row, windowFromMs: 0, atMs: 8 }]));
          said.push('1 open');
        }
        said.push(`${seq} ${state}`);
      },
    }),
  });
  await gates.change(run_id, () => ({ state: 'hold', classes: [], by: 'evaluator', why: {}, windowFromMs: null }));
  expect(said).toEqual(['1 open', '1 hold', '1 open']);
});

it('counts on behind the changes of a deleted run of that name: to lanes a lower number would come too late', async () => {
  const { store } = temporary;
  await store.insert(encodeRuns([{ ...newRunRow('again', 1), gate_seq: 4, version: 3 }]));
  const said: number[] = [];
  const gates = createChangeGate({
    ...{ store, now: () => 7, tell: () => undefined },
    control: async () => ({ gate: async (_run, { seq }) => void said.push(seq) }),
  });
  const open = { state: 'open', classes: [], by: 'release', why: {}, windowFromMs: null } as const;
  await gates.change('again', () => open);
  await gates.change('again', () => open);
  expect(said).toEqual([5, 6]);
});
