import type { ScopePlace } from './diff-policies.ts';

/** The runs and environments that the `scopes` of a policy, as its YAML says it, name: where its sections may differ. */
export function scopePlaces(plain: unknown): ScopePlace[] {
  const scopes: unknown = isObject(plain) ? plain.scopes : undefined;
  if (!Array.isArray(scopes)) return [];
  return scopes.flatMap((scope: unknown) => {
    const when = isObject(scope) && isObject(scope.when) ? scope.when : {};
    return named(when.run).flatMap((run) => named(when.env).map((env) => ({ run, env })));
  });
}

function named(value: unknown): string[] {
  return Array.isArray(value) && value.length > 0 ? value.map(String) : [''];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
