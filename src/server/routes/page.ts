import { Hono } from 'hono';
import type { PageFile } from '../page-files.ts';

/**
 * Nothing from anywhere else is loaded, run, framed or sent to: what a rollout's text could smuggle in finds no way out. Styles are
 * set by files and by script alone, never in markup.
 */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

const FOREVER = 'public, max-age=31536000, immutable';

/** `GET /` and its assets: the page, which holds no data and so needs no token; what it shows it asks of the API. */
export function pageRoutes(files: ReadonlyMap<string, PageFile>): Hono {
  const app = new Hono();
  for (const [path, file] of files) {
    const headers = {
      ...SECURITY_HEADERS,
      'content-type': file.contentType,
      'cache-control': file.isForever ? FOREVER : 'no-cache',
      vary: 'accept-encoding',
      etag: file.etag,
    };
    app.get(path, (c) => {
      if (isKept(c.req.header('if-none-match'), file.etag)) return c.body(null, 304, headers);
      if (!takesGzip(c.req.header('accept-encoding') ?? '')) return c.body(new Uint8Array(file.bytes), 200, headers);
      return c.body(new Uint8Array(file.gzipped), 200, { ...headers, 'content-encoding': 'gzip' });
    });
  }
  return app;
}

/** A proxy that packs what it sends makes a tag weak, and a cache may hold several. */
function isKept(asked: string | undefined, etag: string): boolean {
  const tags = asked?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return tags.includes(etag) || tags.includes('*');
}

/** `q=0` says that it is not. */
function takesGzip(asked: string): boolean {
  return asked.split(',').some((coding) => /^\s*gzip\s*(?:;(?!\s*q\s*=\s*0(?:\.0*)?\s*$).*)?$/i.test(coding));
}
