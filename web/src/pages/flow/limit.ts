import type { RunAccounting } from '../../../../src/clickhouse/accounting.ts';
import type { GateStatus } from '../../../../src/gate/gate-status.ts';
import type { StatusAnswer } from '../../../../src/server/routes/status.ts';
import { numberOf, type Row, textOf } from '../../api/row.ts';
import { count, duration } from '../../parts/format.ts';

/** What is known of a run now; null: it could not be read. */
export interface Facts {
  readonly books: RunAccounting;
  readonly status: StatusAnswer | null;
  readonly gate: GateStatus | null;
  /** Its row of trainer_feed. */
  readonly feed: Row | null;
  /** Its rows of bottleneck. */
  readonly layers: readonly Row[] | null;
  /** ms since the epoch. */
  readonly nowMs: number;
}

export interface Limit {
  /** nothing: nothing runs; unknown: nobody can say. */
  readonly by: 'pipeline' | 'gate' | 'rollouts' | 'trainer' | 'balanced' | 'nothing' | 'unknown';
  readonly sentence: string;
}

/** Fewer records unread are what a lane has in its hands. */
const BEHIND_FROM = 1_000;
/** A lease that is older says nothing of now; trainer_feed looks as far back. */
const RECENT_MS = 600_000;

/** What limits a run now: the first of what stands in the way, from the log to the trainer. Said of facts alone. */
export function limitOf(facts: Facts): Limit {
  return ofPipeline(facts.status) ?? ofGate(facts.gate) ?? ofWork(facts);
}

export function ofPipeline(status: StatusAnswer | null): Limit | null {
  if (status === null) return null;
  if (!status.readiness.ready)
    return { by: 'pipeline', sentence: `The pipeline is not ready: ${status.readiness.reason}.` };
  const lag = status.lanes.reduce((sum, lane) => sum + lane.lag, 0);
  if (lag < BEHIND_FROM) return null;
  return { by: 'pipeline', sentence: `The pipeline is behind: ${count(lag)} records of the log are not read yet.` };
}

function ofGate(gate: GateStatus | null): Limit | null {
  if (gate === null || (gate.state !== 'hold' && gate.state !== 'preflight')) return null;
  const held = gate.held === 0 ? 'nothing waits for it yet' : `${count(gate.held)} trajectories wait for it`;
  const why = gate.state === 'hold' ? 'The gate is closed' : 'The gate holds the first trajectories back';
  return { by: 'gate', sentence: `${why}: ${held}, and none reaches the trainer until it opens.` };
}

function ofWork(facts: Facts): Limit {
  const { books, feed } = facts;
  const running = books.open - books.held;
  const { queued, leased } = books.ready_states;
  if (running === 0 && leased === 0) return { by: 'nothing', sentence: nothingRuns(books, feed, facts.nowMs) };
  if (feed === null) return { by: 'unknown', sentence: 'What limits it is unknown: deliveries could not be read.' };
  if (leased === 0 && !isRecent(feed, facts.nowMs)) {
    const trainer = lastLeaseMs(feed) === null ? 'no trainer has taken any yet' : 'no trainer takes any now';
    return { by: 'unknown', sentence: `${started(running)}, and ${trainer}; ${pace(facts.layers)}.` };
  }
  const by = textOf(feed, 'bottleneck');
  if (by === 'rollouts') return { by, sentence: `The trainer waits for rollouts; ${pace(facts.layers)}.` };
  if (by === 'training') {
    const oldest = numberOf(feed, 'oldest_queued_ms');
    const since = oldest === null ? '' : `, the oldest for ${duration(oldest)}`;
    return { by: 'trainer', sentence: `Rollouts wait for the trainer: ${count(queued)} are queued${since}.` };
  }
  if (by === 'balanced')
    return { by, sentence: 'Neither waits long: rollouts are trained about as fast as they come.' };
  return { by: 'unknown', sentence: `What limits it is unknown: no lease has ended yet; ${pace(facts.layers)}.` };
}

function nothingRuns(books: RunAccounting, feed: Row | null, nowMs: number): string {
  const { queued } = books.ready_states;
  const held = books.held === 0 ? '' : `, ${count(books.held)} wait for the gate`;
  const decided = `Nothing runs: ${books.started === 1 ? 'the only attempt is' : `all ${count(books.started)} attempts are`} decided${held}`;
  if (queued === 0) return `${decided}, and nothing waits for a trainer.`;
  if (feed === null) return `${decided}, and ${count(queued)} are queued.`;
  const last = lastLeaseMs(feed);
  const trainer =
    last === null ? 'no trainer has taken any yet' : `a trainer took some ${duration(Math.max(0, nowMs - last))} ago`;
  return `${decided}, ${count(queued)} are queued, and ${trainer}.`;
}

function started(running: number): string {
  return running === 1 ? 'One attempt is open' : `${count(running)} attempts are open`;
}

const LAYERS: Readonly<Record<string, readonly [string, string]>> = {
  model: ['model calls', 'model_share'],
  tools: ['tools', 'tools_share'],
  sandbox: ['sandboxes', 'sandbox_share'],
  rate_limit: ['rate limits', 'rate_limit_share'],
  loop: ['their own event loop', 'loop_share'],
};

/** What rollouts spend their time on, of the environment and worker with most of them. */
function pace(layers: readonly Row[] | null): string {
  if (layers === null) return 'what rollouts spend their time on could not be read';
  const [most] = [...layers].sort((a, b) => (numberOf(b, 'attempts') ?? 0) - (numberOf(a, 'attempts') ?? 0));
  const layer = LAYERS[textOf(most, 'blocks')];
  if (layer === undefined) return 'nothing tells what rollouts spend their time on';
  const share = numberOf(most, layer[1]);
  const where = layers.length === 1 ? '' : ` in ${textOf(most, 'env_name')}`;
  return `rollouts${where} spend ${share === null ? 'most' : `${Math.round(share * 100)} %`} of their time on ${layer[0]}`;
}

function isRecent(feed: Row, nowMs: number): boolean {
  const last = lastLeaseMs(feed);
  return last !== null && nowMs - last <= RECENT_MS;
}

function lastLeaseMs(feed: Row): number | null {
  const text = textOf(feed, 'last_lease_at');
  const ms = text === '' ? Number.NaN : Date.parse(`${text.replace(' ', 'T')}Z`);
  return Number.isFinite(ms) ? ms : null;
}
