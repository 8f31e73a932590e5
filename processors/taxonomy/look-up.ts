import type { SystemMap } from '../model/taxonomy.ts';
import { isMatch } from './pattern.ts';

/** How one raw value got its code. */
export interface Mapping {
  /** The value, or the part of a composite. */
  readonly raw: string;
  readonly code: string;
  /** none: a part of a composite that nobody knows. */
  readonly by: 'exact' | 'class' | 'pattern' | 'none';
  /** The entry of the taxonomy that says so, and the system it stands under. */
  readonly entry: string;
  readonly system: string;
}

/** Where exceptions stand that any loop may meet. */
const ANY = 'exception';

/** What a system's value is mapped to: one code, both of a composite, or none. A part that nobody knows has the code `unknown`. */
export function lookUp(systems: ReadonlyMap<string, SystemMap>, system: string, raw: string): readonly Mapping[] {
  const map = systems.get(system);
  if (map === undefined) return [];
  const whole = lookUpOne(systems, system, map, raw);
  if (whole !== null) return [whole];
  const parts = map.composite ? partsOf(raw) : [];
  const found = parts.map((part) => lookUpOne(systems, system, map, part));
  // Of a composite that nobody knows either part of, nothing is known: not even that it is one.
  if (found.every((mapping) => mapping === null)) return [];
  return found.map((mapping, i) => mapping ?? { raw: parts[i] ?? '', code: 'unknown', by: 'none', entry: '', system });
}

function lookUpOne(
  systems: ReadonlyMap<string, SystemMap>,
  system: string,
  map: SystemMap,
  raw: string,
): Mapping | null {
  const own = within(system, map, raw);
  if (own !== null || !map.raisesAny) return own;
  const any = systems.get(ANY);
  return any === undefined ? null : within(ANY, any, raw);
}

function within(system: string, { exact, classes, patterns }: SystemMap, raw: string): Mapping | null {
  const code = exact.get(raw);
  if (code !== undefined) return { raw, code, by: 'exact', entry: raw, system };
  const name = raw.slice(raw.lastIndexOf('.') + 1);
  const ofClass = classes.get(name);
  if (ofClass !== undefined) return { raw, code: ofClass, by: 'class', entry: name, system };
  for (const { pattern, code: ofPattern } of patterns)
    if (isMatch(pattern, raw)) return { raw, code: ofPattern, by: 'pattern', entry: pattern.text, system };
  return null;
}

/** `submitted (exit_cost)`: how it ended, and what made it end. */
function partsOf(raw: string): string[] {
  const at = raw.lastIndexOf(' (');
  return at > 0 && raw.endsWith(')') ? [raw.slice(0, at), raw.slice(at + 2, -1)] : [];
}
