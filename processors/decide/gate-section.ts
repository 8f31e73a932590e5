import type { DocumentReader } from '../model/document.ts';
import type { GateLimit, GateRule } from '../model/gate.ts';

type Section = Readonly<Record<string, unknown>>;

const ACTIONS = ['warn', 'quarantine', 'hold'] as const;
const LIMIT_KEYS = ['max', 'min', 'then'] as const;
const LIMIT_NAME = /^[a-z][a-z0-9_]{0,63}$/;
/** The window is read at each look of the evaluator. */
const MOST_TRAJECTORIES = 100_000;

/** The limits that are shipped: they hold in every policy that does not say otherwise. */
export const DEFAULT_GATE: GateRule = {
  preflight: 0,
  window: 256,
  minCount: 32,
  limits: new Map<string, GateLimit>([
    ['pipeline_drift', { max: 0, min: null, becomes: 'hold' }],
    ['template_failures', { max: 0, min: null, becomes: 'hold' }],
    ['executed_repairs', { max: 0, min: null, becomes: 'hold' }],
    ['unknown_reasons', { max: 0.01, min: null, becomes: 'hold' }],
    ['auditable_coverage', { max: null, min: 0.95, becomes: 'hold' }],
  ]),
};

/** `gate`: what it does not say is as in `base`; a limit of `off` is none. */
export function readGate(read: DocumentReader, section: Section, at: string, base: GateRule): GateRule {
  read.onlyKeys(section, at, ['preflight', 'window', 'min_count', 'limits']);
  const count = (key: string, otherwise: number, reader: (value: unknown, path: string) => number) =>
    section[key] === undefined ? otherwise : atMost(read, reader(section[key], `${at}.${key}`), `${at}.${key}`);
  const window = count('window', base.window, read.countFrom1);
  const minCount = count('min_count', base.minCount, read.countFrom1);
  const preflight = count('preflight', base.preflight, read.count);
  if (minCount > window)
    read.problems.push({ path: `${at}.min_count`, expected: 'at most window', got: String(minCount) });
  const limits = new Map(base.limits);
  for (const [name, value] of Object.entries(read.object(section.limits ?? {}, `${at}.limits`))) {
    const path = `${at}.limits.${name}`;
    if (!LIMIT_NAME.test(name)) read.problems.push({ path, expected: 'a class of findings or a rate', got: name });
    if (value === 'off' || value === false) limits.delete(name);
    else limits.set(name, limitIn(read, value, path));
  }
  return { preflight, window, minCount, limits };
}

function limitIn(read: DocumentReader, value: unknown, path: string): GateLimit {
  const body = read.object(value, path);
  read.onlyKeys(body, path, LIMIT_KEYS);
  const bound = (key: 'max' | 'min') =>
    body[key] === undefined ? null : read.notNegative(body[key], `${path}.${key}`);
  const [max, min] = [bound('max'), bound('min')];
  if ((max === null) === (min === null))
    read.problems.push({ path, expected: 'either max or min, or off', got: max === null ? 'neither' : 'both' });
  return { max, min, becomes: read.oneOf(body.then, `${path}.then`, ACTIONS) };
}

function atMost(read: DocumentReader, value: number, path: string): number {
  if (value > MOST_TRAJECTORIES)
    read.problems.push({ path, expected: `at most ${MOST_TRAJECTORIES}`, got: String(value) });
  return value;
}
