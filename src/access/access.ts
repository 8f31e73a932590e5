import type { Accounting } from '../clickhouse/accounting.ts';
import type { QueryParams } from '../clickhouse/port.ts';
import type { Exported, ExportQuery } from '../export/export-query.ts';
import type { GateStatus } from '../gate/gate-status.ts';
import type { GateChanged, GateWish } from '../gate/set-gate.ts';
import type { DocumentText } from '../lanes/read-document.ts';
import type { AppliedPolicy } from '../policies/apply-policy.ts';
import type { TrajectoryJson } from '../ready/trajectory-json.ts';
import type { RunSummary } from '../runs/runs.ts';
import type { Explanation } from './explanation.ts';
import type { RowsFormat } from './query-rows.ts';

/**
 * What a command may ask of a pipeline: in this process (local.ts) or of the server that owns the data folder (remote.ts).
 * Both give the same answers.
 */
export interface Access {
  accounting(runId: string | null): Promise<Accounting>;
  runs(): Promise<RunSummary[]>;
  /** Ready trajectories from an offset of the ready topic on, in ready order. */
  ready(query: ReadyQuery): Promise<ReadyPage>;
  /** A user's statement: read-only, limited. */
  query(sql: string, format: RowsFormat, params: QueryParams): Promise<string>;
  /** Everything decided about a rollout; RS_NOT_FOUND when nobody has heard of it. */
  explain(rolloutId: string, runId: string | null): Promise<Explanation>;
  /** What was decided in a run, as the content of a file; RS_NOT_FOUND when nothing of it was. Its bytes must be read or destroyed. */
  export(query: ExportQuery): Promise<Exported>;
  /** Puts a policy in force from now on; RS_CONFIG where policy_file decides, or where it cannot be used. */
  applyPolicy(document: DocumentText): Promise<AppliedPolicy>;
  /** The gate of one run (RS_NOT_FOUND), or of each. */
  gates(runId: string | null): Promise<GateStatus[]>;
  /** What a person wants of the gate of a run. */
  setGate(runId: string, wish: GateWish): Promise<GateChanged>;
  close(): Promise<void>;
}

export interface ReadyQuery {
  /** First offset to look at. */
  readonly from: number;
  /** At most so many trajectories in one page. */
  readonly limit: number;
  readonly runId: string | null;
  readonly groupId: string | null;
  /** How long to wait when there is nothing yet; 0 answers at once. */
  readonly waitMs: number;
  /** Gives up waiting. */
  readonly signal?: AbortSignal;
}

export interface ReadyPage {
  readonly trajectories: TrajectoryJson[];
  /** Where the next page begins. */
  readonly next: number;
  /** Nothing was left behind `next` when the page was read. */
  readonly atEnd: boolean;
}
