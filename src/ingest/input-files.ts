import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { RollstreamError } from '../errors.ts';

export interface InputFile {
  /** As the user named it; `-` is standard input. */
  readonly path: string;
  /** Named by the user, not found in a folder or by a pattern: then a format nobody knows is a refusal. */
  readonly explicit: boolean;
  /** Size in bytes; 0 where it is not known. */
  readonly sizeBytes: number;
  /** Name of the folder that holds it: the default run. */
  readonly folder: string;
}

/** Files behind paths, folders, patterns and `-`, each once, in a steady order. A path that is not there is an error. */
export async function inputFiles(paths: readonly string[]): Promise<InputFile[]> {
  const found = new Map<string, InputFile>();
  for (const path of paths) {
    for (const file of await filesAt(path)) {
      const key = file.path === '-' ? '-' : resolve(file.path);
      if (!found.has(key) || file.explicit) found.set(key, file);
    }
  }
  return [...found.values()];
}

async function filesAt(path: string): Promise<InputFile[]> {
  if (path === '-') return [{ path, explicit: true, sizeBytes: 0, folder: 'stdin' }];
  const stats = await stat(path).catch((error: unknown) => {
    if (MAGIC.test(path)) return null;
    throw unreadable(path, error);
  });
  if (stats === null) return matching(path);
  if (stats.isDirectory()) return found(await walk(path));
  return [{ path, explicit: true, sizeBytes: stats.isFile() ? stats.size : 0, folder: folderOf(path) }];
}

function folderOf(path: string): string {
  return basename(dirname(resolve(path))) || 'root';
}

const MAGIC = /[*?[]/;

/** Files that a pattern names: `*` and `?` within a name, `**` over folders, `[…]` one character. */
async function matching(pattern: string): Promise<InputFile[]> {
  const parts = pattern.split(sep);
  const fixed = parts.findIndex((part) => MAGIC.test(part));
  const base = parts.slice(0, fixed).join(sep) || (pattern.startsWith(sep) ? sep : '.');
  const expression = patternOf(parts.slice(fixed).join('/'));
  const prefix = base === '.' && !pattern.startsWith('.') ? '' : join(base, sep);
  const paths = await walk(base).catch((error: unknown) => {
    throw unreadable(pattern, error);
  });
  const matched = paths
    .map((path) => (base === '.' && prefix === '' ? path.replace(/^\.[/\\]/, '') : path))
    .filter((path) => expression.test(path.slice(prefix.length).split(sep).join('/')));
  if (matched.length === 0) throw unreadable(pattern, 'nothing matches it');
  return found(matched);
}

function patternOf(glob: string): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|\[!?[^\]]+\]|[.+^${}()|\\]/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    if (token.startsWith('[')) return token.replace('[!', '[^');
    return `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}

/** All files below a folder, hidden ones left out, by name. */
async function walk(folder: string): Promise<string[]> {
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true });
  const paths: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    // A folder that cannot be read is named like a file that cannot: it is told when it is its turn.
    if (entry.isDirectory()) paths.push(...(await walk(path).catch(() => [path])));
    else if (entry.isFile() || (entry.isSymbolicLink() && !(await isFolder(path)))) paths.push(path);
  }
  return paths;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() ?? false;
}

async function found(paths: readonly string[]): Promise<InputFile[]> {
  const files: InputFile[] = [];
  for (const path of paths) {
    const stats = await stat(path).catch(() => null);
    files.push({ path, explicit: false, sizeBytes: stats?.isFile() ? stats.size : 0, folder: folderOf(path) });
  }
  return files;
}

function unreadable(path: string, cause: unknown): RollstreamError {
  const why = cause instanceof Error ? reasonOf(cause) : String(cause);
  return new RollstreamError('RS_FILE_UNREADABLE', `${path}: ${why}`, { cause, facts: { path } });
}

/** What the operating system says, in words. */
export function reasonOf(error: Error): string {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EPERM') return 'no permission to read it';
  if (code === 'ELOOP') return 'its links form a circle';
  if (code === 'EISDIR') return 'is a folder';
  return error.message;
}
