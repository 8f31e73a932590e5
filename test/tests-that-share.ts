import { readFileSync } from 'node:fs';
import { packageFile } from '../src/config/package-file.ts';
import { importsOf, packageOf, projectPaths } from './tidy/source-file.ts';

/** What keeps state of its own in a process, or starts one. */
const OF_THEIR_OWN = new Set([
  'lmdb',
  'chdb',
  'piscina',
  'kafkajs',
  'tokenizers',
  'playwright-core',
  'node:child_process',
  'node:worker_threads',
]);
const TYPES = /\b(?:import|export) type\b[^;]*;/g;

/**
 * Tests that load no engine and start no process, whatever they import: they may share theirs, since a process for each costs more
 * than most of them have to do. Read off the code, so that a new test need not say which it is.
 */
export function testsThatShare(): string[] {
  const read = new Map<string, readonly string[]>();
  const importsIn = (path: string): readonly string[] => {
    const known = read.get(path);
    if (known !== undefined) return known;
    const imports = importsOf(path, readFileSync(packageFile(path), 'utf8').replace(TYPES, ''));
    read.set(path, imports);
    return imports;
  };
  const shares = (test: string): boolean => {
    const seen = new Set([test]);
    for (const path of seen) {
      for (const target of importsIn(path)) {
        if (OF_THEIR_OWN.has(target.startsWith('node:') ? target : packageOf(target))) return false;
        if (/\.m?ts$/.test(target)) seen.add(target);
      }
    }
    return true;
  };
  return projectPaths().filter(
    (path) => /^test\/(?!kafka\/|web\/|simulation\/).*\.test\.ts$/.test(path) && shares(path),
  );
}
