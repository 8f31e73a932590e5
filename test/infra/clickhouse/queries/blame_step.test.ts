import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditRow, DecisionRow } from '../../../../processors/model/effects.ts';
import type { DecisionInit } from '../../../../schemas/generated/decision.ts';
import { askedWith, namedQueries } from '../../../../src/access/named-queries.ts';
import { encodeAudits } from '../../../../src/clickhouse/tables/audits.ts';
import { encodeDecisions } from '../../../../src/clickhouse/tables/decisions.ts';
import { type DeliveryRow, encodeDeliveries } from '../../../../src/clickhouse/tables/deliveries.ts';
import { encodeDeliveryLeases } from '../../../../src/clickhouse/tables/delivery-leases.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeLineages } from '../../../../src/clickhouse/tables/lineages.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { encodeTrajectories } from '../../../../src/clickhouse/tables/trajectories.ts';
import { sampleDelivery, sampleLease, sampleLineage } from '../../../src/clickhouse/tables/sample-deliveries.ts';
import { sampleDecision, sampleTrajectory } from '../../../src/clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../../../src/clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

/** Each test has a run of its own, in a topic of its own. */
let serial = 0;
let run = '';
let owner = { topic: '', term: 1 };
let offset = 0;
beforeEach(async () => {
  run = `run ${++serial}`;
  owner = { topic: `topic-${serial}`, term: 1 };
  offset = 0;
  await temporary.store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
});

type Row = Readonly<Record<string, unknown>>;
const T0 = 1_700_000_000_000;
/** As units are: parts percent-encoded. */
const unitOf = (rollout_id: string, of = run): string => `${encodeURIComponent(of)}/0/r/${rollout_id}`;

let pending: Array<{ readonly decision: DecisionRow; readonly lossTokens: number | null }> = [];
/** A version of a rollout: how it was decided, and how many of its tokens are in the loss. It is written before the next query. */
function version(rollout_id: string, init: Partial<DecisionInit>, lossTokens: number | null): void {
  const of = { run_id: run, rollout_id, unit: unitOf(rollout_id) };
  pending.push({ decision: sampleDecision(offset++, { ...of, ...init }), lossTokens });
}

async function writeVersions(): Promise<void> {
  const { store } = temporary;
  for (const term of [0, 1]) {
    const rows = pending.filter(({ decision }) => (decision.replay_id === '') === (term === 1));
    if (rows.length === 0) continue;
    const trajectories = rows.flatMap(
      ({ decision: { run_id, rollout_id, unit, replay_id, offset: at }, lossTokens }) =>
        lossTokens === null
          ? []
          : [{ ...sampleTrajectory(at, { run_id, rollout_id, rollout_loss_tokens: lossTokens }), unit, replay_id }],
    );
    await store.insert(
      encodeDecisions(
        rows.map(({ decision }) => decision),
        { ...owner, term },
      ),
    );
    await store.insert(encodeTrajectories(trajectories, { ...owner, term }));
    if (term === 1)
      await store.insert(encodeLanes([{ partition: 0, frontier: offset, watermark: 0, open: [] }], owner));
  }
  pending = [];
}

async function found(rollout_id: string, replay_id: string, ...rows: ReadonlyArray<Partial<AuditRow>>): Promise<void> {
  const full = rows.map(
    (init): AuditRow => ({
      ...{ run_id: run, epoch: 0, unit: unitOf(rollout_id), rollout_id, attempt: 0, replay_id, audit: 'tools' },
      ...{ result: 'pass', class: '', severity: 'warn', turn: null, index: null, detail: '', started_at: null },
      evidence: { ids: [], expectedIds: [], text: '', expectedText: '' },
      ...{ partition: 0, offset: 0, ...init },
    }),
  );
  await temporary.store.insert(encodeAudits(full, { ...owner, term: replay_id === '' ? 1 : 0 }));
}

let readyOffset = 0;
const trained = (rollout_id: string, init: Partial<DeliveryRow> = {}): DeliveryRow =>
  sampleDelivery(readyOffset++, { run_id: run, rollout_id, unit: unitOf(rollout_id), ...init });
const say = (...rows: DeliveryRow[]) => temporary.store.insert(encodeDeliveries(rows));

async function rowsOf(name: string, params: Readonly<Record<string, string>> = {}): Promise<Row[]> {
  const query = namedQueries().find((one) => one.name === name);
  if (query === undefined) throw new Error(`no query ${name}`);
  await writeVersions();
  return temporary.store.query<Row>(query.sql, askedWith(query, { run, ...params }));
}
const blame = (step: number, params: Readonly<Record<string, string>> = {}) =>
  rowsOf('blame_step', { lineage: '', step: String(step), ...params });

describe('blame_step', () => {
  it('weighs by |advantage| and tokens in the loss of the version that was trained', async () => {
    version('a', { advantage: -0.5, why: ['max_turns'] }, 30);
    version('a', { advantage: 2, replay_id: 'again', why: ['task_complete'], reward: 0.25 }, 20);
    version('b', { advantage: -0.5, why: ['max_turns'] }, 30);
    version('b', { advantage: 2, replay_id: 'again', why: ['task_complete'] }, 20);
    await say(trained('a', { replay_id: 'again' }), trained('b', { lag: null, tokens: 77 }));
    expect(await blame(1)).toEqual([
      {
        ...{ run_id: run, step: 1, lineage: 0, unit: unitOf('a'), rollout_id: 'a', attempt: 0, replay_id: 'again' },
        ...{
          env_name: 'env',
          task_id: 'task',
          reason: 'task_complete',
          disposition: 'train',
          reward: 0.25,
          advantage: 2,
        },
        ...{ loss_tokens: 20, weight: 40, tokens: 10, lag: 0, classes: [], is_audited: false },
      },
      expect.objectContaining({
        ...{
          rollout_id: 'b',
          replay_id: '',
          reason: 'max_turns',
          reward: 1,
          advantage: -0.5,
          loss_tokens: 30,
          weight: 15,
        },
        ...{ tokens: 77, lag: null },
      }),
    ]);
  });

  it('what has no advantage has no weight; nor has what has no rows any more; a reward that is not valid is none', async () => {
    version('none', { advantage: null }, 30);
    version('masked', { advantage: 1, reward: 3, reward_valid: false }, 0);
    version('short', { advantage: 1 }, null);
    await say(trained('none'), trained('masked'), trained('short'), trained('gone'));
    const rows = await blame(1);
    expect(rows.map((row) => [row.rollout_id, row.reason, row.advantage, row.loss_tokens, row.weight])).toEqual([
      ['masked', 'task_complete', 1, 0, 0],
      ['none', 'task_complete', null, 30, null],
      ['short', 'task_complete', 1, null, null],
      ['gone', '', null, null, null],
    ]);
    expect(rows[0]?.reward).toBeNull();
  });

  it('takes findings of the same version where audits looked again, else of the live one', async () => {
    for (const id of ['again', 'live', 'blind', 'clean']) version(id, { advantage: 1 }, 1);
    for (const id of ['again', 'live']) version(id, { advantage: 1, replay_id: 'v2' }, 1);
    const bad = (name: string) => ({ result: 'fail', class: name, severity: 'fail' }) as const;
    await found('again', '', bad('silent_repair'));
    await found('again', 'v2', bad('args_lost'));
    await found('live', '', bad('silent_repair'), bad('args_lost'));
    await found('blind', '', { result: 'not_auditable', detail: 'no raw text' });
    await found('clean', '', { result: 'not_auditable', audit: 'tokens' }, { result: 'pass' });
    await say(
      trained('again', { replay_id: 'v2' }),
      trained('live', { replay_id: 'v2' }),
      trained('blind'),
      trained('clean'),
    );
    expect((await blame(1)).map((row) => [row.rollout_id, row.classes, row.is_audited])).toEqual([
      ['again', ['args_lost'], true],
      ['live', ['args_lost', 'silent_repair'], true],
      ['blind', [], false],
      ['clean', [], true],
    ]);
  });

  it('is of the surviving history; another lineage is what was trained in it and not again since', async () => {
    for (const id of ['a', 'b', 'c', 'd']) version(id, { advantage: 1 }, 1);
    // Steps 1 to 3; back to step 1; step 2 trains c, and b waits.
    await say(
      trained('a', { step: 1 }),
      trained('b', { step: 2 }),
      trained('c', { step: 2, lineage: 1 }),
      trained('d', { step: 3 }),
    );
    await temporary.store.insert(encodeLineages([sampleLineage(1, { run_id: run, step: 1 })]));
    const of = async (step: number, lineage: string, before = '0') =>
      (await blame(step, { lineage, before })).map((row) => row.rollout_id);
    expect(await of(2, '')).toEqual(['c']);
    expect(await of(3, '')).toEqual([]);
    expect(await of(3, '0', '9')).toEqual(['d', 'b', 'a']);
    expect(await of(2, '1', '9')).toEqual(['c', 'a']);
    expect(await of(9, '', '1')).toEqual(['c']);
    expect((await rowsOf('blame_steps')).map((row) => [row.step, row.lineage, row.trajectories])).toEqual([
      [1, 0, 1],
      [2, 1, 1],
    ]);
    expect(await rowsOf('blame_steps', { step: '3' })).toEqual([]);
  });

  it('finds what a fork took over in the run that it was sampled for', async () => {
    version('a', { advantage: 0.5 }, 8);
    const unit = unitOf('a');
    run = `${run}-fork`;
    await say(trained('a', { unit }));
    expect(await blame(1)).toMatchObject([{ run_id: run, rollout_id: 'a', weight: 4 }]);
  });
});

describe('staleness_at_train', () => {
  it('counts what each step trained by its lag; one that is not known stands last', async () => {
    await say(
      ...[trained('a', { lag: 2, tokens: 5 }), trained('b', { lag: 2, tokens: 6 }), trained('c', { lag: null })],
      ...[trained('d', { step: 2, lag: 0 }), trained('e', { state: 'queued', step: null, lag: null })],
    );
    expect((await rowsOf('staleness_at_train')).map((row) => Object.values(row))).toEqual([
      [run, 1, 2, 2, 11],
      [run, 1, null, 1, 10],
      [run, 2, 0, 1, 10],
    ]);
  });
});

describe('waits', () => {
  const lease = (id: string, granted: number, acked: number | null, waitedMs: number) => {
    const end = acked === null ? {} : ({ endedAtMs: T0 + acked, ended_how: 'trained', step: 1 } as const);
    return sampleLease(id, { run_id: run, grantedAtMs: T0 + granted, waitedMs, ...end });
  };
  const took = (id: string, [ready, taken, acked]: readonly [number, number, number], waitedMs: number) =>
    trained(id, { readyAtMs: T0 + ready, takenAtMs: T0 + taken, endedAtMs: T0 + acked, waitedMs });

  it('the trainer waits, where it does so for a tenth of its time', async () => {
    const times = { started_at: (T0 - 9_000) * 1000, ended_at: (T0 - 2_000) * 1000 };
    version('a', times, null);
    version('backwards', { started_at: T0 * 1000, ended_at: (T0 - 1) * 1000 }, null);
    await temporary.store.insert(encodeDeliveryLeases([lease('1', 500, 1_400, 100), lease('2', 2_000, null, 0)]));
    // Ready at 450, asked for at 400: it lay for nobody.
    await say(took('a', [450, 500, 1_400], 100), took('b', [0, 2_000, 2_100], 300));
    expect(await rowsOf('waits')).toEqual([
      {
        run_id: run,
        trainer_wait_ms: 100,
        trainer_busy_ms: 900,
        ready_wait_ms: 1_700,
        rollout_ms: 7_000,
        who_waits: 'trainer',
      },
    ]);
  });

  it('rollouts wait, where trajectories lie longer than a lease takes; else it is balanced', async () => {
    await temporary.store.insert(encodeDeliveryLeases([lease('1', 500, 1_400, 99)]));
    await say(took('a', [0, 1_000, 1_900], 99));
    const told = { run_id: run, trainer_wait_ms: 99, trainer_busy_ms: 900, ready_wait_ms: 901, rollout_ms: null };
    expect(await rowsOf('waits')).toEqual([{ ...told, who_waits: 'rollouts' }]);
    await say(took('b', [1_000, 1_000, 1_900], 0));
    expect(await rowsOf('waits')).toEqual([{ ...told, who_waits: 'balanced' }]);
  });

  it('nothing is told of a run without a lease, and nothing of training of one without an ack', async () => {
    version('a', {}, null);
    const nothing = { trainer_wait_ms: null, trainer_busy_ms: null, ready_wait_ms: null, rollout_ms: null };
    expect(await rowsOf('waits')).toEqual([{ run_id: run, ...nothing, who_waits: '' }]);
    await temporary.store.insert(encodeDeliveryLeases([lease('1', 500, null, 0)]));
    expect(await rowsOf('waits')).toEqual([{ run_id: run, ...nothing, trainer_wait_ms: 0, who_waits: 'balanced' }]);
  });
});
