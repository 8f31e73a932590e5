import { createDocumentReader } from '../model/document.ts';
import type { FinishMeaning, Parsed, Taxonomy } from '../model/taxonomy.ts';

/** A taxonomy from its parsed YAML; `id` is the hash of its text. Refuses duplicates and codes without a ranked category. */
export function readTaxonomy(document: unknown, id: string): Parsed<Taxonomy> {
  const read = createDocumentReader();
  const top = read.object(document, '');
  read.onlyKeys(top, '', ['format', 'version', 'precedence', 'codes', 'finish_reasons']);
  read.oneOf(top.format, 'format', ['rollstream-taxonomy/1']);
  const precedence = read.texts(top.precedence, 'precedence');
  const categories = new Map<string, string>();
  const exact = new Map<string, Map<string, string>>();
  for (const [code, body] of Object.entries(read.object(top.codes, 'codes'))) {
    const path = `codes.${code}`;
    const entry = read.object(body, path);
    read.onlyKeys(entry, path, ['category', 'raw']);
    // verifier_fault is orthogonal: it never competes with why the loop ended.
    categories.set(code, read.oneOf(entry.category, `${path}.category`, [...precedence, 'verifier_fault']));
    for (const [system, values] of Object.entries(read.object(entry.raw, `${path}.raw`))) {
      const known = exact.get(system) ?? new Map<string, string>();
      exact.set(system, known);
      for (const raw of read.texts(values, `${path}.raw.${system}`)) {
        const other = known.get(raw);
        if (other !== undefined)
          read.problems.push({
            path: `${path}.raw.${system}`,
            expected: `${raw} once`,
            got: `it also maps to ${other}`,
          });
        known.set(raw, code);
      }
    }
  }
  const finishReasons = new Map<string, FinishMeaning>();
  const meanings = read.object(top.finish_reasons, 'finish_reasons');
  read.onlyKeys(meanings, 'finish_reasons', ['complete', 'cut', 'aborted']);
  for (const meaning of ['complete', 'cut', 'aborted'] as const)
    for (const raw of read.texts(meanings[meaning], `finish_reasons.${meaning}`)) finishReasons.set(raw, meaning);
  return read.result({ id, version: read.text(top.version, 'version'), categories, exact, precedence, finishReasons });
}
