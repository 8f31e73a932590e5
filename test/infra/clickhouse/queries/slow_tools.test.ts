import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StepEventInit } from '../../../../schemas/generated/step-event.ts';
import type { TrajectoryInit } from '../../../../schemas/generated/trajectory.ts';
import { askedWith, namedQueries } from '../../../../src/access/named-queries.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeReplayVerdicts } from '../../../../src/clickhouse/tables/replay-verdicts.ts';
import { encodeReplays } from '../../../../src/clickhouse/tables/replays.ts';
import { encodeSteps } from '../../../../src/clickhouse/tables/steps.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { encodeTrajectories } from '../../../../src/clickhouse/tables/trajectories.ts';
import { encodeVerdicts } from '../../../../src/clickhouse/tables/verdicts.ts';
import { sampleReplay, sampleReplayVerdict } from '../../../src/clickhouse/tables/sample-replays.ts';
import { sampleStep, sampleTrajectory } from '../../../src/clickhouse/tables/sample-rows.ts';
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
  run = `run-${++serial}`;
  owner = { topic: `topic-${serial}`, term: 1 };
  offset = 0;
  await temporary.store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
});

type Row = Readonly<Record<string, unknown>>;
type Event = Partial<StepEventInit>;
const MS = 1000;
const T0 = 1_700_000_000_000_000;
const at = (from: number, to: number) => ({ started_at: T0 + from * MS, ended_at: T0 + to * MS });

const seqs = new Map<string, number>();
/** An event of a rollout, the next of its producer unless it has none. */
function event(rollout_id: string, init: Event) {
  const key = `${run}/${rollout_id}/${init.attempt ?? 0}`;
  const seq = seqs.get(key) ?? 0;
  seqs.set(key, seq + 1);
  return sampleStep(offset++, { run_id: run, rollout_id, seq, ...init });
}
const tool = (rollout_id: string, name: string | null, result: Row, init: Event = {}) =>
  event(rollout_id, { kind: 'tool_result', tool_result: { call_id: 'c', name, status: 'ok', ...result }, ...init });
const phase = (rollout_id: string, name: 'sandbox_setup' | 'cleanup' | 'verify' | 'rate_limit', init: Event = {}) =>
  event(rollout_id, { kind: 'phase', phase: { phase: name }, ...init });

const ownAll = () =>
  temporary.store.insert(encodeLanes([{ partition: 0, frontier: offset, watermark: 0, open: [] }], owner));
async function write(...rows: ReadonlyArray<ReturnType<typeof sampleStep>>): Promise<void> {
  await temporary.store.insert(encodeSteps(rows, owner));
  await ownAll();
}
async function assembled(...rows: ReadonlyArray<Partial<TrajectoryInit> & { readonly rollout_id: string }>) {
  const full = rows.map((init) => ({
    ...sampleTrajectory(offset++, { run_id: run, ...init }),
    unit: `${run}/0/r/${init.rollout_id}`,
  }));
  await temporary.store.insert(encodeTrajectories(full, owner));
  await ownAll();
}
async function rowsOf(name: string, params: Readonly<Record<string, string>> = {}): Promise<Row[]> {
  const query = namedQueries().find((one) => one.name === name);
  if (query === undefined) throw new Error(`no query ${name}`);
  return temporary.store.query<Row>(query.sql, askedWith(query, { run, ...params }));
}

describe('slow_tools', () => {
  it('sums what calls took; what was not measured is no 0, and what is unknown is no error', async () => {
    await write(
      tool('a', 'bash', { wait_us: 100 * MS, exec_us: 300 * MS }),
      tool('a', 'bash', { wait_us: 50 * MS, exec_us: 90 * MS }, { duration_us: 200 * MS }),
      tool('b', 'bash', { exec_us: 700 * MS, status: 'tool_error' }),
      tool('b', 'bash', { status: 'not_executed' }),
      tool('b', 'bash', { status: 'unknown' }, { duration_us: -5 }),
      tool('b', 'read', {}),
      tool('b', null, { exec_us: 10 * MS, error: { type: 'E' } }),
      // Of the log itself.
      event('b', { kind: 'control', control: { type: 'gate' }, seq: null }),
    );
    expect(await rowsOf('slow_tools')).toEqual([
      {
        ...{ run_id: run, env_name: 'env', tool: 'bash', calls: 5, errors: 2, measured: 3, sum_ms: 1_300, p50_ms: 400 },
        // Waiting 150 of the 600 ms of the two calls that say it.
        ...{ p95_ms: 700, max_ms: 700, wait_share: 0.25, example_rollout: 'b' },
      },
      {
        ...{ run_id: run, env_name: 'env', tool: '', calls: 1, errors: 1, measured: 1, sum_ms: 10, p50_ms: 10 },
        ...{ p95_ms: 10, max_ms: 10, wait_share: null, example_rollout: 'b' },
      },
      {
        ...{ run_id: run, env_name: 'env', tool: 'read', calls: 1, errors: 0, measured: 0, sum_ms: null, p50_ms: null },
        ...{ p95_ms: null, max_ms: null, wait_share: null, example_rollout: 'b' },
      },
    ]);
  });
});

describe('sandbox_times', () => {
  it('takes durations, else begin and end, and counts what failed', async () => {
    await write(
      phase('a', 'sandbox_setup', { duration_us: 2_000 * MS }),
      phase('b', 'sandbox_setup', at(0, 4_000)),
      phase('c', 'sandbox_setup', { phase: { phase: 'sandbox_setup', error: { type: 'Pull' } } }),
      phase('a', 'cleanup', { seq: null }),
      phase('a', 'verify', { duration_us: 9 }),
    );
    expect((await rowsOf('sandbox_times')).map(({ run_id: _, env_name: __, ...row }) => row)).toEqual([
      { phase: 'sandbox_setup', count: 3, measured: 2, p50_ms: 4_000, p95_ms: 4_000, max_ms: 4_000, failed: 1 },
      { phase: 'cleanup', count: 1, measured: 0, p50_ms: null, p95_ms: null, max_ms: null, failed: 0 },
    ]);
  });
});

describe('phases', () => {
  it('shares are of the wall clock of those that have one; what follows the end has none', async () => {
    const hour = 3_600_000;
    await assembled(
      { rollout_id: 'a', wall_ms: { total: 100, model: 60, other: 40, verify: 900 }, ...at(0, 100) },
      { rollout_id: 'b', wall_ms: { total: 300, model: 100, tool_wait: 200 }, ...at(hour, hour + 300) },
      { rollout_id: 'c', wall_ms: { model: 500 } },
    );
    const all = { run_id: run, env_name: 'env' };
    expect(await rowsOf('phases')).toEqual([
      { ...all, phase: 'verify', attempts: 1, sum_ms: 900, p50_ms: 900, p95_ms: 900, share: null },
      { ...all, phase: 'model', attempts: 3, sum_ms: 660, p50_ms: 100, p95_ms: 500, share: 0.4 },
      { ...all, phase: 'tool_wait', attempts: 1, sum_ms: 200, p50_ms: 200, p95_ms: 200, share: 0.5 },
      { ...all, phase: 'other', attempts: 1, sum_ms: 40, p50_ms: 40, p95_ms: 40, share: 0.1 },
    ]);
    const overTime = await rowsOf('phases_over_time');
    expect(overTime.map((row) => [row.hour, row.phase, row.attempts, row.mean_ms])).toEqual([
      ...['model', 'other', 'verify'].map((name, i) => ['2023-11-14 22:00:00', name, 1, [60, 40, 900][i]]),
      ...['model', 'tool_wait'].map((name, i) => ['2023-11-14 23:00:00', name, 1, [100, 200][i]]),
      [null, 'model', 1, 500],
    ]);
    expect(await rowsOf('phases', { run: 'nobody' })).toEqual([]);
  });
});

describe('bottleneck', () => {
  const told = (actor: string, in_flight: number, lag: Row | null = null) =>
    JSON.stringify({ producer: { actor, in_flight, ...(lag === null ? {} : { loop_lag_ms: lag }) } });
  const ended = (rollout_id: string, ms: number, extra_json: string) =>
    event(rollout_id, { kind: 'end', end: { reasons: [] }, duration_us: ms * MS, extra_json });

  it('names the layer that blocks each worker, and the best number in flight', async () => {
    await write(
      // Alone for 10 s; two at once for 40 s each: the first has the better throughput.
      ended('a', 10_000, told('w1', 1, { mean: 5, max: 9, n: 100 })),
      ended('b', 40_000, told('w2', 2, { mean: 300, max: 900, n: 100 })),
      ended('c', 40_000, told('w2', 3)),
    );
    await assembled(
      {
        rollout_id: 'a',
        wall_ms: { total: 10_000, model: 2_000, tool_wait: 7_000, rate_limit: 1_000 },
        ...at(0, 10_000),
      },
      {
        rollout_id: 'b',
        wall_ms: { total: 40_000, model: 8_000, sandbox_setup: 2_000, agent_setup: 2_000 },
        ...at(0, 40_000),
      },
      { rollout_id: 'c', wall_ms: { total: 40_000, other: 40_000 }, ...at(20_000, 60_000) },
      { rollout_id: 'untold', wall_ms: { total: 0 }, ...at(0, 0) },
      { rollout_id: 'timeless', wall_ms: { model: 5 } },
    );
    const share = {
      model_share: null,
      tools_share: null,
      sandbox_share: null,
      rate_limit_share: null,
      loop_share: null,
    };
    expect(await rowsOf('bottleneck')).toEqual([
      {
        ...{ run_id: run, env_name: 'env', actor: '', attempts: 1, per_hour: null, in_flight: null, best_in_flight: 1 },
        ...{ ...share, blocks: '', sentence: 'Nothing says what rollouts wait for.' },
      },
      {
        ...{ run_id: run, env_name: 'env', actor: 'w1', attempts: 1, per_hour: 360, in_flight: 1, best_in_flight: 1 },
        ...{
          model_share: 0.2,
          tools_share: 0.7,
          sandbox_share: 0,
          rate_limit_share: 0.1,
          loop_share: 0.05,
          blocks: 'tools',
        },
        sentence:
          'Rollouts spend 70 % of their wall clock on tools; 1 were in flight at most, and throughput was best from 1.',
      },
      {
        // Two in a minute. The loop was 30 of the 40 s late where anybody looked.
        ...{ run_id: run, env_name: 'env', actor: 'w2', attempts: 2, per_hour: 120, in_flight: 3, best_in_flight: 1 },
        ...{
          model_share: 0.1,
          tools_share: 0,
          sandbox_share: 0.05,
          rate_limit_share: 0,
          loop_share: 0.75,
          blocks: 'loop',
        },
        sentence: expect.stringContaining('Rollouts spend 75 % of their wall clock on their own event loop; 3 were'),
      },
    ]);
  });
});

describe('wall_gantt', () => {
  it('draws each event from the first time on; of begin, end and duration two give the third', async () => {
    const call = { call_id: 'c', model: 'm', finish_reason: 'stop' };
    await write(
      event('r', { ...at(0, 0), start: {} }),
      event('r', { kind: 'model_call', model_call: call, ...at(10, 40) }),
      tool('r', 'slow', {}, { started_at: T0 + 40 * MS, duration_us: 100 * MS }),
      tool('r', 'fast', { status: 'timeout', turn: 0 }, { ended_at: T0 + 60 * MS, duration_us: 20 * MS }),
      event('r', { kind: 'model_call', model_call: { call_id: 'd' } }),
      phase('r', 'rate_limit', { duration_us: 7 * MS }),
      event('r', { kind: 'end', end: { reasons: [] }, started_at: T0 + 200 * MS, duration_us: 200 * MS }),
      phase('r', 'verify', { seq: null, ...at(210, 250) }),
      event('r', { attempt: 1, start: {} }),
    );
    const rows = await rowsOf('wall_gantt', { rollout: 'r' });
    const shown = rows.map(({ kind, name, started_ms, ended_ms, turn, status }) => [
      kind,
      name,
      started_ms,
      ended_ms,
      turn,
      status,
    ]);
    expect(shown).toEqual([
      ['start', '', 0, 0, null, ''],
      ['model_call', 'm', 10, 40, 0, 'stop'],
      ['tool_result', 'slow', 40, 140, 0, 'ok'],
      ['tool_result', 'fast', 40, 60, 0, 'timeout'],
      ['model_call', '', null, null, 1, ''],
      ['phase', 'rate_limit', null, null, null, ''],
      ['end', '', 200, 200, null, ''],
      ['phase', 'verify', 210, 250, null, ''],
    ]);
    expect(rows[5]).toMatchObject({ duration_ms: 7 });
    expect(await rowsOf('wall_gantt', { rollout: 'r', attempt: '1' })).toHaveLength(1);
  });
});

describe('verifier_disagreement', () => {
  it('compares versions on what both scored; a verdict without a value is no 0', async () => {
    const verdict = (
      rollout_id: string,
      scorer_version: string,
      rewards: Readonly<Record<string, number | null>>,
      late = false,
    ) => ({
      ...event(rollout_id, {
        ...{ kind: 'verdict', seq: null },
        verdict: { scorer: 'judge', scorer_version, status: 'scored', rewards },
      }),
      late,
    });
    const rows = [
      ...[
        verdict('a', '1', { ok: 1 }),
        verdict('b', '1', { ok: 0 }),
        verdict('c', '1', { ok: null }),
        verdict('d', '1', { ok: 1 }),
      ],
      // Said twice: the last counts.
      ...[verdict('a', '2', { ok: 0 }), verdict('a', '2', { ok: 0.5 }, true), verdict('c', '2', { ok: 0 }, true)],
    ];
    await temporary.store.insert(encodeVerdicts(rows, owner));
    await ownAll();
    const again = (rollout_id: string, ok: number, replay = `${run}-done`) =>
      sampleReplayVerdict(replay, {
        ...{ run_id: run, unit: `${run}/0/r/${rollout_id}`, rollout_id, scorer: 'judge', scorer_version: '2' },
        rewards: { ok },
      });
    await temporary.store.insert(
      encodeReplays([sampleReplay(`${run}-done`), sampleReplay(`${run}-dry`, { saved: false })]),
    );
    await temporary.store.insert(encodeReplayVerdicts([again('b', 0), again('d', 0), again('d', 9, `${run}-dry`)]));
    expect(await rowsOf('verifier_disagreement')).toEqual([
      {
        ...{ run_id: run, scorer: 'judge', component: 'ok', version_a: '1', version_b: '2', both: 3, differ: 2 },
        ...{ differ_share: 2 / 3, mean_a: 2 / 3, mean_b: 0.5 / 3, mean_abs_diff: 0.5, example_rollout: 'd' },
      },
    ]);
  });
});
