import type { GateLimit, GateRule } from '../model/gate.ts';

/**
 * One rule for a run of several environments: a gate is of a whole run, so of each value the one that holds back most. At least
 * one rule is needed.
 */
export function strictestRule(rules: readonly [GateRule, ...GateRule[]]): GateRule {
  return rules.reduce((a, b) => {
    if (a === b) return a;
    const limits = new Map(a.limits);
    for (const [name, limit] of b.limits) {
      const other = limits.get(name);
      limits.set(name, other === undefined ? limit : stricter(other, limit));
    }
    return {
      preflight: Math.max(a.preflight, b.preflight),
      window: Math.max(a.window, b.window),
      minCount: Math.min(a.minCount, b.minCount),
      limits,
    };
  });
}

const ACTIONS = ['warn', 'quarantine', 'hold'] as const;

function stricter(a: GateLimit, b: GateLimit): GateLimit {
  const becomes = ACTIONS[Math.max(ACTIONS.indexOf(a.becomes), ACTIONS.indexOf(b.becomes))] ?? 'hold';
  if (a.max !== null && b.max !== null) return { max: Math.min(a.max, b.max), min: null, becomes };
  if (a.min !== null && b.min !== null) return { max: null, min: Math.max(a.min, b.min), becomes };
  // One says at most, the other at least: not comparable, and the first is as good.
  return a;
}
