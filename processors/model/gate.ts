/** preflight and hold: what is ready is held. quarantine: attempts with a finding of the named classes are. warn: it is told, and passes. */
export type GateState = 'preflight' | 'open' | 'warn' | 'quarantine' | 'hold';

export const GATE_STATES: readonly GateState[] = ['preflight', 'open', 'warn', 'quarantine', 'hold'];

export interface GateSetting {
  readonly state: GateState;
  /** Finding classes that are quarantined; empty but in state quarantine. */
  readonly classes: readonly string[];
}

/** What a gate event put in force for a run. */
export interface GateInForce extends GateSetting {
  /** Number of the change, from 1; 0: no event yet. Never falls: an event that comes behind a later one is void. */
  readonly seq: number;
}

/** By run; a run without an event: see `gateOf`. */
export type GatesByRun = ReadonlyMap<string, GateInForce>;

export const NO_GATES: GatesByRun = new Map();

/** What becomes of a run that is over a limit. */
export type GateAction = 'warn' | 'quarantine' | 'hold';

/** One limit of the gate: a share of trajectories that must not be above `max`, or not below `min`. */
export interface GateLimit {
  readonly max: number | null;
  readonly min: number | null;
  readonly becomes: GateAction;
}

/** The gate of a run, as its policy wants it. */
export interface GateRule {
  /** First trajectories that are held until the limits pass; 0: none. */
  readonly preflight: number;
  /** Last trajectories that are looked at. */
  readonly window: number;
  /** Fewer say nothing. */
  readonly minCount: number;
  /**
   * By name: `template_failures`, `executed_repairs`, `unknown_reasons`, `auditable_coverage`, `reencode_drift`, `match_kl`,
   * `match_logprob_diff`, `match_clipped`, else a class of findings such as `pipeline_drift`.
   */
  readonly limits: ReadonlyMap<string, GateLimit>;
}

const OPEN: GateInForce = { state: 'open', classes: [], seq: 0 };
const PREFLIGHT: GateInForce = { state: 'preflight', classes: [], seq: 0 };

/** Before the first event of its gate a run is in preflight, if its policy wants one, else open. */
export function gateOf(gates: GatesByRun, runId: string, rule: Pick<GateRule, 'preflight'>): GateInForce {
  return gates.get(runId) ?? (rule.preflight > 0 ? PREFLIGHT : OPEN);
}

export function isClosed({ state }: Pick<GateSetting, 'state'>): boolean {
  return state === 'preflight' || state === 'hold';
}
