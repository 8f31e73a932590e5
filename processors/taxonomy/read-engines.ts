import type { DocumentReader } from '../model/document.ts';
import type { FinishMeaning, Taxonomy } from '../model/taxonomy.ts';

const MEANINGS = ['complete', 'cut', 'aborted', 'unclear'] as const;

/** What each engine's words mean, each word once. */
export function readEngines(read: DocumentReader, value: unknown): Taxonomy['engines'] {
  const engines = new Map<string, Map<string, FinishMeaning | 'unclear'>>();
  for (const [engine, body] of Object.entries(read.object(value, 'engines'))) {
    const path = `engines.${engine}`;
    const meanings = read.object(body, path);
    read.onlyKeys(meanings, path, MEANINGS);
    const words = new Map<string, FinishMeaning | 'unclear'>();
    for (const meaning of MEANINGS) {
      if (meanings[meaning] === undefined) continue;
      for (const word of read.texts(meanings[meaning], `${path}.${meaning}`)) {
        const other = words.get(word);
        if (other !== undefined)
          read.problems.push({
            path: `${path}.${meaning}`,
            otherPath: `${path}.${other}`,
            expected: `${word} once`,
            got: `it is also ${other}`,
          });
        words.set(word, meaning);
      }
    }
    engines.set(engine, words);
  }
  return engines;
}

/** Of the first format: one list for all engines. */
export function readFinishReasons(read: DocumentReader, value: unknown): Map<string, FinishMeaning> {
  const finishReasons = new Map<string, FinishMeaning>();
  const meanings = read.object(value, 'finish_reasons');
  read.onlyKeys(meanings, 'finish_reasons', ['complete', 'cut', 'aborted']);
  for (const meaning of ['complete', 'cut', 'aborted'] as const)
    for (const raw of read.texts(meanings[meaning], `finish_reasons.${meaning}`)) finishReasons.set(raw, meaning);
  return finishReasons;
}
