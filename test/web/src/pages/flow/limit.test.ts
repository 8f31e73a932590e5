import { describe, expect, it } from 'vitest';
import type { RunAccounting } from '../../../../../src/clickhouse/accounting.ts';
import type { GateStatus } from '../../../../../src/gate/gate-status.ts';
import { type Facts, limitOf } from '../../../../../web/src/pages/flow/limit.ts';
import { limitOfAll } from '../../../../../web/src/pages/flow/limit-of-all.ts';

const NOW = '2026-03-02 09:30:00.000';
const NOTHING_DELIVERED = {
  queued: 0,
  leased: 0,
  trained: 0,
  expired: 0,
  undeliverable: 0,
  trainer_rejected: 0,
  replaced: 0,
};

function books(given: Partial<RunAccounting> = {}): RunAccounting {
  const none = { rejected: {}, held: 0, lost: 0, superseded: 0, not_taken_in: {}, inherited: 0, re_emitted: 0 };
  const some = { started: 64, ready: 24, open: 40, ready_states: NOTHING_DELIVERED };
  return { run_id: 'math', balanced: true, ...none, ...some, ...given };
}

function status(lag: number, reason = '') {
  const lane = { topic: 'rollout.steps', partition: 0, frontier: 0, end: lag, lag, open_attempts: 0, restored: true };
  return { version: '1', readiness: { ready: reason === '', reason }, lanes: [lane] };
}

function gate(state: GateStatus['state'], held: number): GateStatus {
  const window = { from: null, size: 256, min_count: 32, preflight: 0, trajectories: 0, rates: [] };
  return { run_id: 'math', state, held, classes: [], by: 'set', since: null, why: null, window };
}

function facts(given: Partial<Facts> = {}): Facts {
  const layers = [{ env_name: 'files', attempts: 9, blocks: 'tools', tools_share: 0.588 }];
  const nowMs = Date.parse(`${NOW.replace(' ', 'T')}Z`);
  return { books: books(), status: status(0), gate: gate('open', 0), feed: {}, layers, nowMs, ...given };
}

describe('what limits a run', () => {
  it('is the pipeline where it is not ready or far behind, before all else', () => {
    const closed = gate('hold', 3);
    expect(limitOf(facts({ status: status(0, 'lane 0 is being rebuilt'), gate: closed })).sentence).toBe(
      'The pipeline is not ready: lane 0 is being rebuilt.',
    );
    expect(limitOf(facts({ status: status(12_345), gate: closed })).sentence).toBe(
      'The pipeline is behind: 12,345 records of the log are not read yet.',
    );
  });

  it('is the gate where it is closed, with what waits for it', () => {
    expect(limitOf(facts({ gate: gate('hold', 3) })).sentence).toBe(
      'The gate is closed: 3 trajectories wait for it, and none reaches the trainer until it opens.',
    );
    expect(limitOf(facts({ gate: gate('warn', 0) })).by).not.toBe('gate');
  });

  it('are the rollouts where the trainer waits for them, with what they spend their time on', () => {
    const feed = { bottleneck: 'rollouts', last_lease_at: '2026-03-02 09:29:00.000' };
    expect(limitOf(facts({ feed }))).toEqual({
      by: 'rollouts',
      sentence: 'The trainer waits for rollouts; rollouts spend 59 % of their time on tools.',
    });
    expect(limitOf(facts({ feed, layers: [] })).sentence).toContain('nothing tells what rollouts spend their time on');
  });

  it('is the trainer where rollouts are queued for it longer than a step takes', () => {
    const feed = { bottleneck: 'training', last_lease_at: '2026-03-02 09:29:00.000', oldest_queued_ms: 90_000 };
    const queued = books({ ready_states: { ...NOTHING_DELIVERED, queued: 24 } });
    expect(limitOf(facts({ feed, books: queued })).sentence).toBe(
      'Rollouts wait for the trainer: 24 are queued, the oldest for 1.5 min.',
    );
  });

  it('is unknown where no trainer has taken any, or the last lease is old, or deliveries could not be read', () => {
    expect(limitOf(facts())).toEqual({
      by: 'unknown',
      sentence: '40 attempts are open, and no trainer has taken any yet; rollouts spend 59 % of their time on tools.',
    });
    const old = { bottleneck: 'rollouts', last_lease_at: '2026-03-02 09:19:59.000' };
    expect(limitOf(facts({ feed: old })).sentence).toContain('no trainer takes any now');
    expect(limitOf(facts({ feed: null })).sentence).toBe('What limits it is unknown: deliveries could not be read.');
  });

  it('is nothing where all is decided; what is held by the gate does not run', () => {
    const decided = books({ open: 2, held: 2, ready_states: { ...NOTHING_DELIVERED, queued: 24 } });
    expect(limitOf(facts({ books: decided })).sentence).toBe(
      'Nothing runs: all 64 attempts are decided, 2 wait for the gate, 24 are queued, and no trainer has taken any yet.',
    );
    const feed = { last_lease_at: '2026-03-02 08:30:00.000' };
    expect(limitOf(facts({ books: decided, feed })).sentence).toContain('a trainer took some 1 h ago');
  });

  it('of several runs names the one that is at work, or says how many are', () => {
    const done = facts({ books: books({ run_id: 'done', open: 0, started: 10, ready: 10 }) });
    const works = facts({ books: books({ run_id: 'works' }) });
    expect(limitOfAll([done, works]).sentence).toMatch(/^One of 2 runs is at work, works\. 40 attempts are open/);
    expect(limitOfAll([works, works, done]).sentence).toMatch(/^2 of 3 runs are at work/);
    expect(limitOfAll([done, done]).sentence).toBe(
      'Nothing runs: all 20 attempts of 2 runs are decided, and nothing waits for a trainer.',
    );
    expect(limitOfAll([]).sentence).toBe('No rollout has started yet.');
  });
});
