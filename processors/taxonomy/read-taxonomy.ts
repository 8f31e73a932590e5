import { createDocumentReader, type DocumentReader } from '../model/document.ts';
import type { FinishMeaning, Parsed, SystemMap, Taxonomy } from '../model/taxonomy.ts';
import { createCodesOf } from './codes-of.ts';
import { readPattern } from './pattern.ts';
import { readEngines, readFinishReasons } from './read-engines.ts';

/** The second knows classes, patterns, composites and engines. The first is still read: a log may name one that was kept. */
const FORMATS = ['rollstream-taxonomy/2', 'rollstream-taxonomy/1'] as const;
const CATEGORIES = [
  ...['completion', 'policy_failure', 'budget', 'harness_fault', 'env_fault', 'infra_fault', 'verifier_fault'],
  ...['cancelled', 'unknown'],
];

/** A taxonomy from its parsed YAML; `id` is the hash of its text. */
export function readTaxonomy(document: unknown, id: string): Parsed<Taxonomy> {
  const read = createDocumentReader();
  const top = read.object(document, '');
  const format = read.oneOf(top.format, 'format', FORMATS);
  const isFirst = format === 'rollstream-taxonomy/1';
  const keys = ['format', 'version', 'precedence', 'codes'];
  read.onlyKeys(top, '', [...keys, ...(isFirst ? ['finish_reasons'] : ['composite', 'raises_any', 'engines'])]);
  const rank = readRank(read, top.precedence);
  const categories = new Map<string, string>();
  const attributed = new Map<string, 'timeout' | 'memory'>();
  const refinedByLimit = new Set<string>();
  const systems = new Map<string, SystemMap>();
  for (const [code, body] of Object.entries(read.object(top.codes, 'codes'))) {
    const path = `codes.${code}`;
    const entry = read.object(body, path);
    read.onlyKeys(entry, path, [
      'category',
      'raw',
      ...(isFirst ? [] : ['classes', 'patterns', 'own', 'attributed', 'refined_by']),
    ]);
    categories.set(code, readCategory(read, entry.category, `${path}.category`, rank));
    if (entry.attributed !== undefined)
      attributed.set(code, read.oneOf(entry.attributed, `${path}.attributed`, ['timeout', 'memory'] as const));
    if (entry.refined_by !== undefined) {
      read.oneOf(entry.refined_by, `${path}.refined_by`, ['limit']);
      refinedByLimit.add(code);
    }
    const values =
      addValues(read, systems, code, 'raw', entry.raw) +
      addValues(read, systems, code, 'classes', entry.classes) +
      addPatterns(read, systems, code, entry.patterns);
    const own = entry.own !== undefined && read.flag(entry.own, `${path}.own`);
    if (values === 0 && !own && !isFirst)
      read.problems.push({
        path,
        expected: 'a raw value, a class, a pattern, or own: true for a code of the pipeline itself',
        got: 'a code that nothing leads to',
      });
  }
  mark(read, systems, top.composite, 'composite');
  mark(read, systems, top.raises_any, 'raises_any');
  const engines = isFirst ? new Map<string, never>() : readEngines(read, top.engines);
  return read.result({
    id,
    version: read.text(top.version, 'version'),
    categories,
    systems,
    attributed,
    refinedByLimit,
    rank,
    engines,
    finishReasons: isFirst ? readFinishReasons(read, top.finish_reasons) : agreed(engines),
    codesOf: createCodesOf(systems),
  });
}

function readRank(read: DocumentReader, value: unknown): Map<string, number> {
  const rank = new Map<string, number>();
  for (const [i, category] of read.texts(value, 'precedence').entries()) {
    const path = `precedence[${i}]`;
    read.oneOf(category, path, CATEGORIES);
    if (rank.has(category)) read.problems.push({ path, expected: `${category} once`, got: 'it stands there twice' });
    rank.set(category, i);
  }
  return rank;
}

/** verifier_fault is orthogonal: it never competes with why the loop ended. */
function readCategory(read: DocumentReader, value: unknown, path: string, rank: ReadonlyMap<string, number>): string {
  const before = read.problems.length;
  const category = read.oneOf(value, path, CATEGORIES);
  if (read.problems.length === before && category !== 'verifier_fault' && !rank.has(category))
    read.problems.push({ path, expected: 'a category that precedence ranks', got: category });
  return category;
}

/** Adds a code's values by system; how many there were. */
function addValues(
  read: DocumentReader,
  systems: Map<string, SystemMap>,
  code: string,
  kind: 'raw' | 'classes',
  value: unknown,
): number {
  let count = 0;
  if (value === undefined) return count;
  for (const [system, list] of Object.entries(read.object(value, `codes.${code}.${kind}`))) {
    const path = `codes.${code}.${kind}.${system}`;
    const { exact, classes } = systemOf(systems, system);
    for (const raw of read.texts(list, path)) {
      count += 1;
      const other = exact.get(raw) ?? classes.get(raw);
      if (other !== undefined)
        read.problems.push({
          path,
          otherPath: `codes.${other}`,
          expected: `${raw} once`,
          got: `it also maps to ${other}`,
        });
      if (kind === 'classes' && raw.includes('.'))
        read.problems.push({ path, expected: 'a class without its module', got: raw });
      (kind === 'raw' ? exact : classes).set(raw, code);
    }
  }
  return count;
}

function addPatterns(read: DocumentReader, systems: Map<string, SystemMap>, code: string, value: unknown): number {
  let count = 0;
  if (value === undefined) return count;
  for (const [system, list] of Object.entries(read.object(value, `codes.${code}.patterns`))) {
    const path = `codes.${code}.patterns.${system}`;
    const { patterns } = systemOf(systems, system);
    for (const text of read.texts(list, path)) {
      count += 1;
      const pattern = readPattern(text);
      const other = patterns.find(({ pattern: known }) => known.text === text)?.code;
      if ('problem' in pattern) read.problems.push({ path, expected: pattern.problem, got: text });
      else if (other !== undefined)
        read.problems.push({
          path,
          otherPath: `codes.${other}`,
          expected: `${text} once`,
          got: `it also maps to ${other}`,
        });
      else patterns.push({ pattern, code });
    }
  }
  return count;
}

/** What holds of a whole system must be said of one that has values. */
function mark(read: DocumentReader, systems: Map<string, SystemMap>, value: unknown, path: string): void {
  if (value === undefined) return;
  for (const system of read.texts(value, path)) {
    const map = systems.get(system);
    if (map === undefined) read.problems.push({ path, expected: 'a system that has values', got: system });
    else if (path === 'composite') map.composite = true;
    else map.raisesAny = true;
  }
}

function systemOf(systems: Map<string, SystemMap>, system: string): SystemMap {
  const known = systems.get(system);
  if (known !== undefined) return known;
  const created = { exact: new Map(), classes: new Map(), patterns: [], composite: false, raisesAny: false };
  systems.set(system, created);
  return created;
}

/** A record does not say which engine wrote its finish reason: a word counts where all engines that use it agree. */
function agreed(engines: Taxonomy['engines']): Map<string, FinishMeaning> {
  const meanings = new Map<string, FinishMeaning | 'unclear'>();
  for (const words of engines.values())
    for (const [word, meaning] of words)
      meanings.set(word, (meanings.get(word) ?? meaning) === meaning ? meaning : 'unclear');
  return new Map([...meanings].flatMap(([word, meaning]) => (meaning === 'unclear' ? [] : [[word, meaning]])));
}
