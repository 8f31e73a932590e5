import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { packageFile } from '../../src/config/package-file.ts';

export interface SourceFile {
  /** From the root, with slashes. */
  readonly path: string;
  readonly text: string;
  /** Without comments, and without what is in strings and regular expressions. */
  readonly code: string;
  /** What it imports: paths from the root for its own files, names for packages. */
  readonly imports: readonly string[];
}

/** Files of the checkout, tracked or about to be: what git ignores is not the project. */
export function projectPaths(): string[] {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    cwd: packageFile(),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  // A deleted file is listed until its deletion is committed.
  return listed.split('\0').filter((path) => path !== '' && existsSync(packageFile(path)));
}

export function readSource(path: string): SourceFile {
  const text = readFileSync(packageFile(path), 'utf8');
  return { path, text, code: codeOf(text), imports: importsOf(path, text) };
}

const IMPORT =
  /(?:\bfrom|\bimport|\bimport\(|\bnew URL\(|\bcreateRequire\(import\.meta\.url\)\.resolve\()\s*'([@.\w][^'\s]*)'/g;

export function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, target = '']) =>
    target.startsWith('.') ? posix.normalize(posix.join(posix.dirname(path), target)) : target,
  );
}

/** `@scope/name/sub` and `name/sub` without the rest. */
export function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

/**
 * What stands between code: a comment, a string, a template (its `${…}` goes with it), or a regular expression, which follows
 * only what cannot end a value.
 */
const NOT_CODE =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=(?:[=(,:[!&|?{};>]|\breturn)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/g;

export function codeOf(text: string): string {
  return text.replace(NOT_CODE, (match) => match.replace(/[^\n]/g, ' '));
}
