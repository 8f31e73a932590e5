import type { SystemMap, Taxonomy } from '../model/taxonomy.ts';
import { lookUp } from './look-up.ts';

/** Raw values that are remembered; beyond it all are forgotten, and long ones never are: a source may send text of its own. */
const MOST_VALUES = 10_000;
const MOST_CHARACTERS = 200;

/** Look-ups of a taxonomy, each made once. */
export function createCodesOf(systems: ReadonlyMap<string, SystemMap>): Taxonomy['codesOf'] {
  const remembered = new Map<string, Map<string, readonly string[]>>();
  let size = 0;
  return function codesOf(system, raw) {
    const known = remembered.get(system)?.get(raw);
    if (known !== undefined) return known;
    const codes = lookUp(systems, system, raw).map(({ code }) => code);
    if (raw.length > MOST_CHARACTERS || system.length > MOST_CHARACTERS) return codes;
    if (size >= MOST_VALUES) {
      remembered.clear();
      size = 0;
    }
    size += 1;
    const ofSystem = remembered.get(system) ?? new Map<string, readonly string[]>();
    ofSystem.set(raw, codes);
    remembered.set(system, ofSystem);
    return codes;
  };
}
