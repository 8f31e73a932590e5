import type { GateRule, GateSetting } from '../model/gate.ts';
import type { GateVerdict } from './judge-window.ts';

/** The last change of a gate; before the first one it is what its policy begins with. */
export interface CurrentGate extends GateSetting {
  /** null: nobody has changed it yet. */
  readonly by: 'evaluator' | 'release' | 'set' | null;
}

/** In preflight the first trajectories are judged, however many they are: fewer than the window's minimum, or more than it holds. */
export function ruleInState(rule: GateRule, { state }: Pick<GateSetting, 'state'>): GateRule {
  if (state !== 'preflight') return rule;
  const needed = preflightOf(rule);
  return { ...rule, window: Math.max(rule.window, needed), minCount: Math.min(rule.minCount, needed) };
}

/**
 * What the gate becomes, or null where it stays. A hold is ended by a person alone, and so is what a person set, but for
 * preflight, which ends by itself: in hold when a limit trips that would hold or quarantine (what offends is among the held
 * ones, and opening would let it go).
 */
export function nextGate(current: CurrentGate, verdict: GateVerdict, rule: GateRule): GateSetting | null {
  if (current.state === 'hold') return null;
  if (current.state === 'preflight') {
    if (verdict.verdict === 'hold' || verdict.verdict === 'quarantine') return { state: 'hold', classes: [] };
    // Said once, so that what it holds is not forgotten when the policy wants no preflight any more.
    if (verdict.trajectories < preflightOf(rule))
      return current.by === null ? { state: 'preflight', classes: [] } : null;
    return { state: verdict.verdict === 'warn' ? 'warn' : 'open', classes: [] };
  }
  if (current.by === 'set' || !verdict.enough) return null;
  const next = followed(verdict);
  return isSame(current, next) ? null : next;
}

/** A person who sets preflight under a policy that wants none waits for as many as the window needs. */
function preflightOf({ preflight, minCount }: GateRule): number {
  return preflight > 0 ? preflight : minCount;
}

function followed({ verdict, tripped }: GateVerdict): GateSetting {
  if (verdict === 'pass') return { state: 'open', classes: [] };
  if (verdict !== 'quarantine') return { state: verdict, classes: [] };
  const classes = tripped.flatMap((one) => (one.becomes === 'quarantine' ? one.classes : []));
  return { state: 'quarantine', classes: [...new Set(classes)].sort() };
}

function isSame(a: GateSetting, b: GateSetting): boolean {
  return a.state === b.state && a.classes.length === b.classes.length && b.classes.every((c) => a.classes.includes(c));
}
