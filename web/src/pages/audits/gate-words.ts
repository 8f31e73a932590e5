import type { GateStatus } from '../../../../src/gate/gate-status.ts';

/** A state within a sentence: the gate is … */
const STATES: Readonly<Record<GateStatus['state'], string>> = {
  open: 'open',
  warn: 'open, with a warning',
  quarantine: 'in quarantine',
  preflight: 'in preflight',
  hold: 'on hold',
};

export function stateWords(state: string): string {
  return state in STATES ? STATES[state as GateStatus['state']] : state;
}

/** What a limit counts, as docs/gate.md has it; of any other name: a class of findings. */
const COUNTS: Readonly<Record<string, string>> = {
  template_failures: 'that the template audit fails, of those it could look at',
  executed_repairs:
    'with silent_repair, args_lost, think_call_executed or executed_without_call, of those that the tools audit could look at',
  unknown_reasons: 'that end for a reason nobody knows, of all',
  auditable_coverage: 'that the tokens audit could look at, of all; what other audits could look at does not count',
  reencode_drift: 'that the re-encode audit warns of, of those it could look at',
  match_kl: 'mean of what the trainer reported',
  match_logprob_diff: 'mean of what the trainer reported',
  match_clipped: 'mean of what the trainer reported',
};

export function countsOf(limit: string): string {
  return Object.hasOwn(COUNTS, limit)
    ? (COUNTS[limit] ?? '')
    : 'with such a finding, of those that its audit could look at';
}

type Rate = GateStatus['window']['rates'][number];

/** Beyond its limit, whether or not its interval is: of too few it trips nothing. */
export function isBeyond({ rate, bound, bound_at }: Pick<Rate, 'rate' | 'bound' | 'bound_at'>): boolean {
  return rate !== null && (bound === 'max' ? rate > bound_at : rate < bound_at);
}

/** Names of the limits of a window that tripped, and of those beyond which it is with too few to be sure. */
export function limitsOver(rates: readonly Rate[]): { readonly over: string; readonly unsure: string } {
  const names = (some: readonly Rate[]): string => some.map(({ limit }) => limit).join(', ');
  return {
    over: names(rates.filter((rate) => rate.is_tripped)),
    unsure: names(rates.filter((rate) => !rate.is_tripped && isBeyond(rate))),
  };
}
