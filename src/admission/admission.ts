import { readFile } from 'node:fs/promises';
import type { Policy } from '../../processors/model/policy.ts';
import type { Store } from '../clickhouse/port.ts';
import { packageFile } from '../config/package-file.ts';
import { RollstreamError } from '../errors.ts';
import { createOneAtATime } from '../one-at-a-time.ts';
import type { AnnouncedVersions } from '../versions/announced-versions.ts';
import { createGrants, type Grants, type KeptGrants } from './grants.ts';
import type { GrantKeeper } from './kept-grants.ts';

export interface AdmissionRequest {
  readonly runId: string;
  /** null: it does not say. */
  readonly env: string | null;
  readonly count: number;
}

export interface AdmissionAnswer {
  /** Rollouts that may start now. */
  readonly granted: number;
  /** (max_lag + version + 1) × batch − (accepted + running), before this grant; null: the policy does not limit by lag. */
  readonly capacity: number | null;
  /** Attempts that are open, and grants that are not used yet. */
  readonly running: number;
  /** Trajectories that the surviving history of the trainer has, or that wait for it. */
  readonly accepted: number;
  /** Place of the version being updated, those that a fork took over before its own; null: there is none, which counts as 0. */
  readonly version: number | null;
  /** What limited the grant; '': nothing. */
  readonly why: '' | 'gate' | 'lag' | 'ceiling';
  /** When what is not used by then is given back; null: nothing was granted. */
  readonly expires_at: string | null;
}

export type Admission = (request: AdmissionRequest) => Promise<AdmissionAnswer>;

export interface AdmissionDeps {
  readonly store: Pick<Store, 'query'>;
  readonly versions: Pick<AnnouncedVersions, 'readOn' | 'current'>;
  readonly keeper: GrantKeeper;
  /** What decides now. */
  readonly policy: () => Promise<Policy>;
  /** ms since the epoch, for people. */
  readonly now: () => number;
  /** ms of a clock that does not jump: grants expire by it. */
  readonly elapsed: () => number;
}

interface EnvRow {
  readonly env_name: string;
  readonly begun: number;
  readonly open: number;
  readonly accepted: number;
}

/** Lanes flush as often: counting more often would find nothing new, and costs a second over a million rollouts. */
const COUNTED_FOR_MS = 250;

interface Counted {
  readonly atMs: number;
  readonly rows: readonly EnvRow[];
  readonly isHeld: boolean;
  /** Versions that a fork took over. */
  readonly before: number;
}

interface RunState {
  readonly grants: Grants;
  counted: Counted | null;
}

/**
 * Paces starts, so that little has to be discarded for its age. All is counted from the store, and a grant is durable before
 * it is answered, so that a restart forgets nothing. One request at a time: two would be granted the same.
 */
export function createAdmission({ store, versions, keeper, policy, now, elapsed }: AdmissionDeps): Admission {
  const byRun = new Map<string, RunState>();
  let before: Map<string, KeptGrants> | null = null;
  const oneAtATime = createOneAtATime();

  const count = async (run: RunState, runId: string): Promise<Counted> => {
    const atMs = elapsed();
    if (run.counted !== null && atMs - run.counted.atMs < COUNTED_FOR_MS) return run.counted;
    const [rows, isHeld] = [await countedRows(store, runId), await isGateHeld(store, runId)];
    run.counted = { atMs, rows, isHeld, before: await versionsBefore(store, runId) };
    return run.counted;
  };

  const admit = async ({ runId, env, count: wanted }: AdmissionRequest): Promise<AdmissionAnswer> => {
    const { admission: rule, staleness } = (await policy()).scopeOf(runId, env ?? '');
    if (env === null && rule.ceilings.size > 0)
      throw new RollstreamError('RS_USAGE', 'env: needed, since the policy has ceilings by environment', {
        facts: { field: 'env' },
      });
    await versions.readOn(0);
    before ??= await keeper.load();
    const run = byRun.get(runId) ?? { grants: createGrants(before.get(runId), elapsed()), counted: null };
    byRun.set(runId, run);
    const { rows, isHeld, before: inherited } = await count(run, runId);
    const { grants } = run;
    grants.settle(new Map(rows.map((row) => [row.env_name, row.begun])), elapsed());

    const sum = (of: 'open' | 'accepted', rowsOf = rows) => rowsOf.reduce((total, row) => total + row[of], 0);
    const running = sum('open') + grants.outstanding();
    const accepted = sum('accepted');
    const own = versions.current(runId)?.ordinal ?? null;
    const version = own === null && inherited === 0 ? null : inherited + (own ?? -1);
    const capacity =
      staleness.maxLag === null || rule.batchRollouts === null
        ? null
        : (staleness.maxLag + (version ?? 0) + 1) * rule.batchRollouts - (accepted + running);
    const ceiling = env === null ? undefined : rule.ceilings.get(env);
    const ofEnv = rows.filter((row) => row.env_name === env);
    const room = ceiling === undefined ? null : ceiling - sum('open', ofEnv) - grants.outstanding(env ?? '');

    const limits = [
      { why: 'gate', most: isHeld ? 0 : wanted },
      { why: 'lag', most: capacity ?? wanted },
      { why: 'ceiling', most: room ?? wanted },
    ] as const;
    const tightest = limits.reduce((a, b) => (b.most < a.most ? b : a));
    const granted = Math.max(0, Math.min(wanted, Math.floor(tightest.most)));
    if (granted > 0) {
      grants.add(env, granted, elapsed() + rule.grantMs);
      await keeper.keep(runId, grants.kept(elapsed()));
    }
    return {
      granted,
      capacity,
      running,
      accepted,
      version,
      why: granted === wanted ? '' : tightest.why,
      expires_at: granted === 0 ? null : new Date(now() + rule.grantMs).toISOString(),
    };
  };

  return (request) => oneAtATime(() => admit(request));
}

async function countedRows(store: Pick<Store, 'query'>, runId: string): Promise<EnvRow[]> {
  const sql = await readFile(packageFile('infra', 'clickhouse', 'queries', 'admission.sql'), 'utf8');
  return store.query<EnvRow>(sql, { run: runId });
}

/** Zero while the gate holds: what would start would only wait. */
async function isGateHeld(store: Pick<Store, 'query'>, runId: string): Promise<boolean> {
  const [last] = await store.query<{ state: string }>(
    'SELECT state FROM rollstream.gates FINAL WHERE run_id = {run:String} ORDER BY seq DESC LIMIT 1',
    { run: runId },
  );
  return last?.state === 'hold';
}

/** A fork goes on from a checkpoint: its own announcements begin at 0 again, what it has accepted does not. */
async function versionsBefore(store: Pick<Store, 'query'>, runId: string): Promise<number> {
  const [fork] = await store.query<{ versions: number }>(
    "SELECT versions FROM rollstream.lineages FINAL WHERE run_id = {run:String} AND kind = 'fork'",
    { run: runId },
  );
  return fork?.versions ?? 0;
}
