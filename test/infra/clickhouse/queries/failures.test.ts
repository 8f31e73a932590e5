import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../../examples/generate/random.ts';
import type { AuditRow } from '../../../../processors/model/effects.ts';
import type { DecisionInit } from '../../../../schemas/generated/decision.ts';
import type { ModelCallInit } from '../../../../schemas/generated/step-event.ts';
import type { TurnInit } from '../../../../schemas/generated/trajectory.ts';
import { askedWith, namedQueries } from '../../../../src/access/named-queries.ts';
import type { Owner } from '../../../../src/clickhouse/encode-batch.ts';
import { encodeAttempts } from '../../../../src/clickhouse/tables/attempts.ts';
import { encodeAudits } from '../../../../src/clickhouse/tables/audits.ts';
import { encodeDecisions } from '../../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeReleased } from '../../../../src/clickhouse/tables/released.ts';
import { encodeSteps } from '../../../../src/clickhouse/tables/steps.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { encodeTrajectories } from '../../../../src/clickhouse/tables/trajectories.ts';
import { comparable, type NamedRow, namedByPython } from '../../../oracles/named-rows.ts';
import { sampleDecision, sampleStep, sampleTrajectory } from '../../../src/clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../../../src/clickhouse/temporary-store.ts';

const DEAD: Owner = { topic: 'rollout.steps', term: 1 };
const LIVE: Owner = { topic: 'rollout.steps', term: 2 };
/** Where the second owner began: what the first wrote from there on does not count. */
const RESTORED = 100_000;
const HOUR_US = 3600 * 1_000_000;
const T0 = Date.UTC(2026, 2, 2, 9) * 1000;
const AUDITS = ['tokens', 'template', 'tools', 'termination', 'numbers', 'wall', 'reencode'] as const;

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
});
afterAll(() => temporary.remove());

async function rowsOf(name: string, params: Record<string, string>): Promise<NamedRow[]> {
  const query = namedQueries().find((one) => one.name === name);
  if (query === undefined) throw new Error(`no query ${name}`);
  const text = await temporary.store.queryAsReader(query.sql, 'JSONEachRow', askedWith(query, params));
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]));
}

interface Said {
  readonly audit: (typeof AUDITS)[number];
  readonly result: AuditRow['result'];
  readonly found?: ReadonlyArray<Partial<Pick<AuditRow, 'class' | 'severity' | 'turn' | 'index' | 'detail'>>>;
}
interface Attempt {
  readonly run: string;
  readonly rollout: string;
  readonly init?: Partial<DecisionInit>;
  readonly calls?: readonly ModelCallInit[];
  readonly audits?: readonly Said[];
  /** Said after the decision, or never: the trajectory says that template and reencode were deferred. */
  readonly late?: readonly Said[];
  readonly attribution?: string | null;
  readonly isOpen?: boolean;
  readonly owner?: Owner;
}

/** Of each owner the last record that it read: the first one went on beyond where the second began. */
const offsets = { 1: RESTORED - 120, 2: RESTORED };
const unitOf = (run: string, rollout: string) => `${encodeURIComponent(run)}/0/r/${encodeURIComponent(rollout)}`;

/** Rows as a lane leaves them: the attempt, its calls, and what was decided, assembled and audited. */
async function write(attempts: readonly Attempt[]): Promise<void> {
  const { store } = temporary;
  for (const owner of [DEAD, LIVE]) {
    const own = attempts.filter((one) => (one.owner ?? LIVE) === owner).map((one) => rowsOfAttempt(one));
    if (own.length === 0) continue;
    const flat = <T>(of: (rows: (typeof own)[number]) => readonly T[]): T[] => own.flatMap((rows) => [...of(rows)]);
    await store.insert(
      encodeAttempts(
        flat(({ starts }) => starts),
        owner,
      ),
    );
    await store.insert(
      encodeSteps(
        flat(({ steps }) => steps),
        owner,
      ),
    );
    await store.insert(
      encodeDecisions(
        flat(({ decisions }) => decisions),
        owner,
      ),
    );
    await store.insert(
      encodeTrajectories(
        flat(({ trajectories }) => trajectories),
        owner,
      ),
    );
    await store.insert(
      encodeAudits(
        flat(({ audits }) => audits),
        owner,
      ),
    );
    await store.insert(
      encodeAudits(
        flat(({ late }) => late),
        owner,
      ),
    );
  }
  await store.insert(encodeTerms([{ partition: 0, restored: 0 }], DEAD));
  await store.insert(encodeTerms([{ partition: 0, restored: RESTORED }], LIVE));
  await store.insert(
    encodeLanes([{ partition: 0, frontier: offsets[2] + 1, watermark: offsets[2] + 1, open: [] }], LIVE),
  );
}

function rowsOfAttempt(of: Attempt) {
  const { run, rollout, init = {}, calls = [], audits = [], late = [], attribution, isOpen, owner = LIVE } = of;
  const next = () => (owner === LIVE ? ++offsets[2] : ++offsets[1]);
  const { attempt = 0, env_name = 'env', task_id = 'task', replay_id = '' } = init;
  const unit = unitOf(run, rollout);
  const identity = { run_id: run, rollout_id: rollout, attempt, env_name, task_id };
  const started = init.started_at ?? null;
  const starts = [sampleStep(next(), { ...identity, started_at: started, seq: 0, start: {} })];
  const steps = calls.map((model_call, i) =>
    sampleStep(next(), { ...identity, kind: 'model_call', seq: i + 1, model_call }),
  );
  for (const row of [...starts, ...steps]) Object.assign(row, { unit });
  const at = { ...identity, unit, partition: 0, offset: next() };
  if (isOpen === true) return { starts, steps, decisions: [], trajectories: [], audits: [], late: [] };
  const decision = sampleDecision(at.offset, { ...init, ...at, n_turns: calls.length });
  const resultOf = (audit: string) => audits.find((one) => one.audit === audit)?.result ?? 'not_auditable';
  const trajectory = sampleTrajectory(at.offset, {
    ...identity,
    disposition: decision.disposition,
    started_at: started,
    ended_at: init.ended_at ?? null,
    turns: turnsOf(calls),
    segments:
      calls.length === 0
        ? []
        : [emptySegment('main', null), ...forksOf(calls).map((to, i) => emptySegment(`main~${i + 1}`, to))],
    reasons: [
      {
        code: decision.reason_code,
        category: decision.category,
        raw: '',
        system: '',
        attribution: attribution ?? null,
      },
    ],
    audit: {
      ...{
        tokens: resultOf('tokens'),
        template: resultOf('template'),
        tools: resultOf('tools'),
        wall: resultOf('wall'),
      },
      ...{ termination: resultOf('termination'), numbers: resultOf('numbers'), reencode: resultOf('reencode') },
    },
    audit_missing: of.late === undefined ? {} : { reencode: 'deferred', template: 'deferred' },
  });
  const isFenced = decision.disposition === 'superseded';
  return {
    starts: replay_id === '' ? starts : [],
    steps: replay_id === '' ? steps : [],
    decisions: [decision],
    trajectories: isFenced ? [] : [{ ...trajectory, unit, replay_id }],
    audits: isFenced ? [] : audits.flatMap((one) => auditRowsOf(one, at, started, replay_id)),
    late: isFenced ? [] : late.flatMap((one) => auditRowsOf(one, at, started, replay_id)),
  };
}

function auditRowsOf(
  { audit, result, found = [] }: Said,
  {
    run_id,
    unit,
    rollout_id,
    attempt,
    offset,
  }: { run_id: string; unit: string; rollout_id: string; attempt: number; offset: number },
  started_at: number | null,
  replay_id: string,
): AuditRow[] {
  const nothing = { class: '', severity: 'warn', turn: null, index: null, detail: '' } as const;
  const of = {
    run_id,
    epoch: 0,
    unit,
    rollout_id,
    attempt,
    replay_id,
    audit,
    result,
    started_at,
    partition: 0,
    offset,
  };
  return (found.length === 0 ? [{}] : found).map((one) => ({ ...of, ...nothing, ...one, evidence: {} }));
}

const emptySegment = (segment_id: string, fork_at: number | null) => ({
  ...{ segment_id, fork_at, token_ids: Buffer.alloc(0), prompt_len: 0, sampled_mask: Buffer.alloc(0) },
  ...{ loss_mask: Buffer.alloc(0) },
});

const tokensOf = (ids: Buffer | null | undefined) => (ids ?? Buffer.alloc(0)).length / 4;
const hasTokens = (call: ModelCallInit) =>
  (call.prompt_delta_ids ?? null) !== null && (call.completion_ids ?? null) !== null;

/** As calls are assembled: a prompt that reuses less than is held begins a fork. */
function turnsOf(calls: readonly ModelCallInit[]): TurnInit[] {
  let held = 0;
  let forks = 0;
  return calls.map((call, turn) => {
    if (!hasTokens(call)) return { turn, segment_id: 'main', start: 0, end: 0, call_id: call.call_id };
    const prefix = call.prompt_prefix_len ?? 0;
    if (prefix < held) forks += 1;
    const start = prefix + tokensOf(call.prompt_delta_ids);
    held = start + tokensOf(call.completion_ids);
    return { turn, segment_id: forks === 0 ? 'main' : `main~${forks}`, start, end: held, call_id: call.call_id };
  });
}

function forksOf(calls: readonly ModelCallInit[]): number[] {
  let held = 0;
  return calls.filter(hasTokens).flatMap((call) => {
    const prefix = call.prompt_prefix_len ?? 0;
    const isFork = prefix < held;
    held = prefix + tokensOf(call.prompt_delta_ids) + tokensOf(call.completion_ids);
    return isFork ? [prefix] : [];
  });
}

function call(prefix: number, delta: number, completion: number, more: Partial<ModelCallInit> = {}): ModelCallInit {
  const ids = (n: number) => Buffer.alloc(4 * n, 1);
  return {
    call_id: 'c',
    prompt_prefix_len: prefix,
    prompt_delta_ids: ids(delta),
    completion_ids: ids(completion),
    ...more,
  };
}
const tools = (...names: ReadonlyArray<string | null>) => ({
  tool_calls: names.map((name, i) => ({ call_id: `call_${i}`, name, parse_status: 'ok' as const })),
});

const random = createRandom('named queries');
const below = (n: number) => Math.floor(random() * n);
const oneOf = <T>(values: readonly [T, ...T[]]): T => values[below(values.length)] ?? values[0];

function anyCalls(): ModelCallInit[] {
  let held = 0;
  return Array.from({ length: below(6) }, () => {
    const prefix = below(5) === 0 ? below(held + 1) : held;
    const [delta, completion] = [1 + below(40), 1 + below(300)];
    const more = {
      model: oneOf(['m-1', 'm-1', 'm,2', null]),
      ...tools(...Array.from({ length: below(3) }, () => oneOf(['read', 'o\'dd \\ "name"', null]))),
    };
    if (below(12) === 0) return { call_id: 'c', ...more };
    held = prefix + delta + completion;
    return call(prefix, delta, completion, more);
  });
}

function anySaid(audit: Said['audit'], calls: readonly ModelCallInit[]): Said {
  const result = oneOf(['pass', 'pass', 'pass', 'warn', 'fail', 'not_auditable'] as const);
  if (result === 'pass' || (result === 'not_auditable' && below(2) === 0)) return { audit, result };
  const classes = [
    'malformed',
    'silent_repair',
    'args_lost',
    'parser_loss',
    'think_call_executed',
    'coerced',
    'pipeline_drift',
  ] as const;
  const found = Array.from({ length: 1 + below(3) }, (_, index) => ({
    ...{ class: oneOf(classes), severity: oneOf(['fail', 'warn'] as const), index },
    ...{ turn: below(5) === 0 ? null : below(calls.length + 1) },
    detail: oneOf(['call_0 (read): one', 'call_1: two', 'a call (read): three', 'four']),
  }));
  return { audit, result, found };
}

/** What the lane itself said of tools stands where a tokenizer finds nothing to add; of another place it has another row. */
function anyLate(calls: readonly ModelCallInit[]): Said[] {
  return (['template', 'tools', 'reencode'] as const)
    .map((audit) => anySaid(audit, calls))
    .filter(({ audit, found }) => below(4) > 0 && (audit !== 'tools' || found !== undefined))
    .map((said) => ({
      ...said,
      ...(said.found && { found: said.found.map((one) => ({ ...one, index: (one.index ?? 0) + 10 })) }),
    }));
}

function anyAttempt(i: number): Attempt {
  const calls = anyCalls();
  const began = below(4) === 0 ? null : T0 + below(5) * HOUR_US + below(HOUR_US);
  const category = oneOf([
    'completion',
    'budget',
    'policy_failure',
    'env_fault',
    'infra_fault',
    'harness_fault',
    'cancelled',
    'unknown',
  ]);
  const reason = oneOf(['task_complete', 'wall_clock', 'tool_timeout', 'env_crash', 'lost']);
  const isLate = below(6) === 0;
  const init: Partial<DecisionInit> = {
    attempt: i % 2,
    env_name: oneOf(['desk', 'o\'dd \\ env\t"x"']),
    task_id: oneOf(['t-1', 't/2', 'ü "3"', 't-4', 't-5']),
    disposition: oneOf(['train', 'train', 'train_masked', 'penalise', 'drop', 'quarantine', 'retry', 'superseded']),
    ...{ category, reason_code: reason, why: [oneOf([reason, `retry:${reason}`, 'verifier_error']), 'more'] },
    reward: oneOf([0, 0, 1, 0.25, -0.5, null]),
    reward_valid: below(4) > 0,
    held: below(8) === 0,
    finish_reason: oneOf(['stop', null]),
    conflicts: below(5) === 0 ? ['a says x', 'b says y', 'a says x'].slice(below(3)) : [],
    infra_share: oneOf([null, 0.25, 0.5]),
    policy_share: oneOf([null, 0.125]),
    n_sampled_tokens: oneOf([0, 255, 256, 5000, 70_000]),
    started_at: began,
    ended_at: began === null || below(5) === 0 ? null : began + below(2 * HOUR_US),
  };
  const said = AUDITS.filter((audit) => !isLate || (audit !== 'reencode' && audit !== 'template'));
  return {
    ...{ run: oneOf(['one', 'two', "th'ree \\"]), rollout: `r ${i >> 1}/${i % 5 === 0 ? "o'" : ''}`, init, calls },
    audits: said.map((audit) => anySaid(audit, calls)),
    ...(isLate && { late: anyLate(calls) }),
    attribution: oneOf([null, 'policy', 'env', 'unknown']),
    isOpen: below(15) === 0,
    owner: below(10) === 0 ? DEAD : LIVE,
  };
}

describe('without rows', () => {
  it('every query of failures, rewards and audits answers nothing', async () => {
    for (const name of (await namedByPython(temporary.store, 'named_queries_a.py')).keys())
      expect(await rowsOf(name, {}), name).toEqual([]);
  });
});

describe('of attempts of all kinds, some of them by a dead owner and some replayed', () => {
  it('every query says what Python makes of the raw rows, by run and over all', async () => {
    const attempts = Array.from({ length: 400 }, (_, i) => anyAttempt(i));
    const again = attempts.slice(0, 60).map(
      (one): Attempt => ({
        ...one,
        ...{ init: { ...one.init, replay_id: 'again', disposition: 'quarantine' }, isOpen: false, owner: LIVE },
      }),
    );
    await write(attempts);
    expect(offsets[1]).toBeGreaterThan(RESTORED);
    // What the first owner made of some of them, beyond what it had committed.
    const undone = attempts.slice(100, 160).filter(({ owner }) => owner === LIVE);
    const before = undone.map(
      (one): Attempt => ({
        ...one,
        ...{ init: { ...one.init, disposition: 'drop' }, isOpen: false, owner: DEAD },
      }),
    );
    await write([...before, ...again]);
    const held = attempts.filter((one) => one.init?.held === true).slice(0, 10);
    const released = held.map(({ run, rollout, init }) => ({
      ...{ run_id: run, epoch: 0, unit: unitOf(run, rollout), rollout_id: rollout, attempt: init?.attempt ?? 0 },
      ...{ held_offset: 0, atMs: 0 },
    }));
    await temporary.store.insert(encodeReleased(released));
    const expected = await namedByPython(temporary.store, 'named_queries_a.py');
    for (const [name, rows] of expected) {
      if (name === 'audit_offenders') continue;
      expect(rows.length, name).toBeGreaterThan(3);
      expect(comparable(await rowsOf(name, {})), name).toEqual(comparable(rows));
      const of = rows.filter((row) => row.run_id === "th'ree \\");
      expect(comparable(await rowsOf(name, { run: "th'ree \\" })), name).toEqual(comparable(of));
    }
  });
});
