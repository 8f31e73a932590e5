import type { ReadyStates, RunAccounting } from '../../../../src/clickhouse/accounting.ts';

/** The books of one run, or of several added up. */
export type Books = Omit<RunAccounting, 'run_id'>;

export function addedUp(runs: readonly RunAccounting[]): Books {
  return runs.reduce<Books>(
    (sum, run) => ({
      started: sum.started + run.started,
      ready: sum.ready + run.ready,
      rejected: eachAdded(sum.rejected, run.rejected),
      open: sum.open + run.open,
      held: sum.held + run.held,
      lost: sum.lost + run.lost,
      superseded: sum.superseded + run.superseded,
      balanced: sum.balanced && run.balanced,
      ready_states: statesAdded(sum.ready_states, run.ready_states),
      not_taken_in: eachAdded(sum.not_taken_in, run.not_taken_in),
      inherited: sum.inherited + run.inherited,
      re_emitted: sum.re_emitted + run.re_emitted,
    }),
    EMPTY,
  );
}

export function rejectedOf({ rejected }: Pick<Books, 'rejected'>): number {
  return Object.values(rejected).reduce((sum, n) => sum + n, 0);
}

/** What the books do not account for, in words; empty: they balance. */
export function imbalances(runs: readonly RunAccounting[]): string[] {
  return runs
    .filter(({ balanced }) => !balanced)
    .map((run) => {
      const { run_id, started, ready, open, lost, superseded, inherited, re_emitted } = run;
      const booked = ready + rejectedOf(run) + open + lost + superseded;
      const states = Object.values(run.ready_states).reduce((sum, n) => sum + n, 0);
      const delivered = ready + inherited + re_emitted;
      if (started !== booked) return `${run_id}: ${started} started, ${booked} are in a book.`;
      if (delivered !== states) return `${run_id}: ${delivered} are ready, ${states} have a state of delivery.`;
      return `${run_id}: a lane has written no row yet, or a decision has a disposition without a book.`;
    });
}

const EMPTY: Books = {
  started: 0,
  ready: 0,
  rejected: {},
  open: 0,
  held: 0,
  lost: 0,
  superseded: 0,
  balanced: true,
  ready_states: { queued: 0, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 },
  not_taken_in: {},
  inherited: 0,
  re_emitted: 0,
};

function eachAdded(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): Record<string, number> {
  const sum = { ...a };
  for (const [name, n] of Object.entries(b)) sum[name] = (sum[name] ?? 0) + n;
  return sum;
}

function statesAdded(a: ReadyStates, b: ReadyStates): ReadyStates {
  return {
    queued: a.queued + b.queued,
    leased: a.leased + b.leased,
    trained: a.trained + b.trained,
    expired: a.expired + b.expired,
    undeliverable: a.undeliverable + b.undeliverable,
    trainer_rejected: a.trainer_rejected + b.trainer_rejected,
    replaced: a.replaced + b.replaced,
  };
}
