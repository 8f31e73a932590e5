import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
  readonly contentType: string;
  /** Its name holds a hash of its content, so that it never changes. */
  readonly isForever: boolean;
  readonly etag: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * The files of a folder by the path that they are asked for (`/` is index.html), read once: what a request names is looked up among
 * them, and never reaches the file system. Empty: the page was not built.
 */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return new Map(
    names.flatMap((name) => {
      const contentType = CONTENT_TYPES[extname(name)];
      if (contentType === undefined) return [];
      const bytes = readFileSync(join(folder, name));
      const path = name === 'index.html' ? '/' : `/${name.split('\\').join('/')}`;
      const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`;
      return [
        [path, { bytes, gzipped: gzipSync(bytes), contentType, isForever: path.startsWith('/assets/'), etag }] as const,
      ];
    }),
  );
}
