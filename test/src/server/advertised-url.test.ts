import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { advertisedUrl } from '../../../src/server/advertised-url.ts';

const KAFKA = {
  ROLLSTREAM_KAFKA_BROKERS: 'kafka-1:9092',
  ROLLSTREAM_REGISTRY_URL: 'http://registry:8081',
  ROLLSTREAM_CLICKHOUSE_URL: 'http://clickhouse:8123',
  ROLLSTREAM_HTTP_TOKEN: 'a-token-that-is-long',
};
const reached = (env: Record<string, string>) =>
  advertisedUrl(loadConfig({ flags: {}, env, cwd: '/' }), 'http://127.0.0.1:8080');

it('a server is reached where it listens, unless http.advertised_url says where', () => {
  const here = { url: 'http://127.0.0.1:8080', isDoubtful: false };
  expect(reached({})).toEqual(here);
  expect(reached(KAFKA)).toEqual(here);
  const env = { ...KAFKA, ROLLSTREAM_HTTP_HOST: '0.0.0.0', ROLLSTREAM_HTTP_ADVERTISED_URL: 'http://host-a:8080' };
  expect(reached(env)).toEqual({ url: 'http://host-a:8080', isDoubtful: false });
});

it('one that listens on every address of a host, and does not say where it is reached, is doubtful', () => {
  for (const host of ['0.0.0.0', '::'])
    expect(reached({ ...KAFKA, ROLLSTREAM_HTTP_HOST: host })).toMatchObject({ isDoubtful: true });
});

it.each(['host-a:8080', 'http://', 'ftp://host-a', 'http://host-a/path', 'http://user@host-a', 'http://a b'])(
  'what is no address of a server is refused: %s',
  (url) => {
    expect(() => reached({ ROLLSTREAM_HTTP_ADVERTISED_URL: url })).toThrow(/http\.advertised_url/);
  },
);
