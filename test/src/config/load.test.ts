import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentNameOf } from '../../../src/config/key.ts';
import { ALL_KEYS } from '../../../src/config/keys.ts';
import { loadConfig, type Sources } from '../../../src/config/load.ts';
import { tokensFileOf } from '../../../src/config/tokens-file-of.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function load(sources: Partial<Sources>) {
  return loadConfig({ flags: {}, env: {}, cwd: folder, ...sources });
}

function file(text: string): string {
  const path = join(folder, 'rollstream.yaml');
  writeFileSync(path, text);
  return path;
}

describe('loadConfig', () => {
  it('without anything given is what the design says', () => {
    const config = load({});
    expect(config.data).toBe(join(folder, 'rollstream-data'));
    expect(config.dataGiven).toBe(false);
    const http = { host: '127.0.0.1', port: null, advertisedUrl: null, token: null, tokensFile: null };
    expect(config.http).toEqual(http);
    expect(config.limits.run).toEqual({ eventsPerSecond: null, inFlightBytes: null });
    expect(config.lanes).toEqual({
      partitions: 1,
      topicPrefix: '',
      deadlines: {
        gapMs: 30_000,
        orphanMs: 30_000,
        verdictMs: 600_000,
        idleMs: 900_000,
        groupMs: 3_600_000,
        lifetimeMs: 86_400_000,
      },
      reorderEvents: 256,
      flush: { intervalMs: 250, maxBytes: 33_554_432, maxRows: 20_000 },
      inFlightBytes: 268_435_456,
    });
  });

  it('tokens are in the data folder, or in the file that is named; on Kafka in that alone', () => {
    const kafka = '127.0.0.1:9092';
    const env = {
      ROLLSTREAM_REGISTRY_URL: 'http://r',
      ROLLSTREAM_CLICKHOUSE_URL: 'http://c',
      ROLLSTREAM_KAFKA_BROKERS: kafka,
    };
    const named = { ROLLSTREAM_HTTP_TOKENS_FILE: 'keys/tokens.json' };
    expect(tokensFileOf(load({ flags: { data: 'd' } }))).toBe(join(folder, 'd', 'tokens.json'));
    expect(tokensFileOf(load({ env: named }))).toBe(join(folder, 'keys', 'tokens.json'));
    expect(tokensFileOf(load({ env: { ...env, ...named } }))).toBe(join(folder, 'keys', 'tokens.json'));
    expect(tokensFileOf(load({ env }))).toBeNull();
  });

  it('quotas of runs have no default, and a unit where they are bytes', () => {
    const run = (flags: Record<string, string>) => load({ flags }).limits.run;
    expect(run({ 'limits.run_events_per_second': '100', 'limits.run_in_flight': '8MB' })).toEqual({
      ...{ eventsPerSecond: 100, inFlightBytes: 8_388_608 },
    });
    const wrong = ['limits.run_events_per_second=0', 'limits.run_in_flight=8'].map((text) => text.split('='));
    for (const [key = '', value = ''] of wrong)
      expect(() => run({ [key]: value })).toThrow(expect.objectContaining({ code: 'RS_CONFIG' }));
  });

  it('takes a flag before the environment, the environment before the file, the file before the default', () => {
    const path = file('http:\n  port: 1\npartitions: 2\ntopic_prefix: file-\n');
    const env = { ROLLSTREAM_PARTITIONS: '3', ROLLSTREAM_HTTP_PORT: '2' };
    const config = load({ file: path, env, flags: { 'http.port': '4' } });
    expect(config.http.port).toBe(4);
    expect(config.lanes.partitions).toBe(3);
    expect(config.lanes.topicPrefix).toBe('file-');
  });

  it('reads a nested key and the same key written with dots alike', () => {
    expect(load({ file: file('deadlines:\n  idle: 2h\n') }).lanes.deadlines.idleMs).toBe(7_200_000);
    expect(load({ file: file('deadlines.idle: 2h\n') }).lanes.deadlines.idleMs).toBe(7_200_000);
  });

  it('finds the file that ROLLSTREAM_CONFIG names', () => {
    expect(load({ env: { ROLLSTREAM_CONFIG: file('partitions: 7\n') } }).lanes.partitions).toBe(7);
  });

  it.each([
    ['an unknown key', { yaml: 'http:\n  prot: 1\n' }, /unknown key http\.prot .*did you mean http\.port\?/],
    ['an unknown variable', { env: { ROLLSTREAM_PARTITION: '1' } }, /ROLLSTREAM_PARTITION .*ROLLSTREAM_PARTITIONS\?/],
    ['text for a number in YAML', { yaml: 'partitions: "2"\n' }, /partitions .*"2" is not a whole number from 1/],
    ['a fraction', { env: { ROLLSTREAM_PARTITIONS: '1.5' } }, /partitions \(ROLLSTREAM_PARTITIONS\): "1\.5"/],
    ['a number out of bounds', { env: { ROLLSTREAM_HTTP_PORT: '70000' } }, /http\.port .*from 0 to 65535/],
    ['a duration without a unit', { yaml: 'deadlines:\n  idle: 900\n' }, /deadlines\.idle .*900 is not a duration/],
    ['a duration in another unit', { env: { ROLLSTREAM_DEADLINES_GAP: '3 weeks' } }, /in ms, s, m, h, d/],
    ['a choice that is none', { env: { ROLLSTREAM_LOG_LEVEL: 'loud' } }, /log_level .*auto, silent, error/],
    ['a list for a key', { yaml: 'data: [a, b]\n' }, /data .*\["a","b"\] is not a folder/],
    ['broken YAML', { yaml: 'a: [1\n' }, /rollstream\.yaml/],
    ['a file that is no map', { yaml: '- 1\n' }, /not a map of keys/],
    ['a key that is there twice', { yaml: 'http:\n  port: 1\nhttp.port: 2\n' }, /http\.port is there twice/],
    [
      'a flush larger than what may be in flight',
      { yaml: 'in_flight: 1MB\n' },
      /flush\.bytes is larger than in_flight/,
    ],
  ])('refuses %s, naming it', (_, given: { yaml?: string; env?: Record<string, string> }, message) => {
    const sources = { env: given.env ?? {}, ...(given.yaml === undefined ? {} : { file: file(given.yaml) }) };
    expect(() => load(sources)).toThrow(message);
    expect(() => load(sources)).toThrow(expect.objectContaining({ code: 'RS_CONFIG', exitCode: 2 }));
  });

  it('refuses a host that others can reach without a token, and takes it with one', () => {
    expect(() => load({ env: { ROLLSTREAM_HTTP_HOST: '0.0.0.0' } })).toThrow(/set http\.token/);
    const env = { ROLLSTREAM_HTTP_HOST: '0.0.0.0', ROLLSTREAM_HTTP_TOKEN: 'a-token-that-is-long' };
    expect(load({ env }).http.token).toBe('a-token-that-is-long');
  });

  it('never repeats a token that it refuses', () => {
    expect(() => load({ env: { ROLLSTREAM_HTTP_TOKEN: 'hunter2' } })).toThrow(/http\.token/);
    expect(() => load({ env: { ROLLSTREAM_HTTP_TOKEN: 'hunter2' } })).not.toThrow(/hunter2/);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(load({ env: { ROLLSTREAM_HTTP_PORT: '' } }).http.port).toBeNull();
  });

  it('has no two keys with one variable, and a doc and an accepted default for each', () => {
    const names = ALL_KEYS.map(({ name }) => environmentNameOf(name));
    expect(new Set(names).size).toBe(names.length);
    for (const key of ALL_KEYS) expect(key.doc, key.name).toMatch(/\.$/);
  });
});
