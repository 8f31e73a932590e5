import { expect, it } from 'vitest';
import { pageRoutes } from '../../../../src/server/routes/page.ts';

const file = {
  bytes: Buffer.from('<!doctype html>'),
  gzipped: Buffer.from([0x1f, 0x8b]),
  contentType: 'text/html; charset=utf-8',
  isForever: false,
  etag: '"abc"',
};
const app = pageRoutes(new Map([['/', file]]));
const statusOf = async (tags: string): Promise<number> =>
  (await app.request('/', { headers: { 'if-none-match': tags } })).status;
const codingOf = async (asked: string): Promise<string | null> =>
  (await app.request('/', { headers: { 'accept-encoding': asked } })).headers.get('content-encoding');

it('is not sent again to whoever keeps it, whatever a proxy or a cache made of its tag', async () => {
  for (const kept of ['"abc"', 'W/"abc"', '"old", "abc"', '"old",W/"abc"', '*'])
    expect(await statusOf(kept), kept).toBe(304);
  for (const other of ['"old"', 'abc', '"abcd"', '']) expect(await statusOf(other), other).toBe(200);
});

it('is packed for those alone that can unpack it', async () => {
  for (const asked of ['gzip', 'br, gzip', 'gzip;q=0.5', 'GZIP ; q=1.0', 'deflate, gzip;q=0.001'])
    expect(await codingOf(asked), asked).toBe('gzip');
  for (const asked of ['', 'br', 'gzip;q=0', 'gzip; q=0.0, br', 'x-gzip-not', 'identity'])
    expect(await codingOf(asked), asked).toBe(null);
});

it('may be framed by nobody, and loads nothing from elsewhere, also where it is kept', async () => {
  for (const held of ['"abc"', '*']) {
    const answer = await app.request('/', { headers: { 'if-none-match': held } });
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  }
});
