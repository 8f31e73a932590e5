import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-services-'));
  writeFileSync(join(folder, 'ca.pem'), 'authorities');
  writeFileSync(join(folder, 'cert.pem'), 'certificate');
  writeFileSync(join(folder, 'key.pem'), 'private key');
  writeFileSync(join(folder, 'password'), 'hunter two\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

const CLUSTER = `
kafka.brokers: [kafka-1:9092, "[::1]:9092"]
registry.url: http://registry:8081/apis/ccompat/v7
clickhouse.url: http://clickhouse:8123
`;

function load(yaml: string, env: Record<string, string> = {}, flags: Record<string, string> = {}) {
  const file = join(folder, 'rollstream.yaml');
  writeFileSync(file, yaml);
  return loadConfig({ file, env, flags, cwd: folder });
}

describe('services', () => {
  it('are none while no broker is named: embedded', () => {
    expect(load('')).toMatchObject({ services: null, partitionsGiven: false, lanes: { partitions: 1 } });
  });

  it('are Kafka, a registry and ClickHouse without users and TLS where only their addresses are given', () => {
    const { services, lanes } = load(CLUSTER);
    const none = { ca: null, cert: null, key: null };
    expect(services).toEqual({
      kafka: {
        brokers: ['kafka-1:9092', '[::1]:9092'],
        clientId: 'rollstream',
        tls: null,
        sasl: null,
        replicationFactor: null,
        longestOutageMs: 172_800_000,
      },
      registry: { url: 'http://registry:8081/apis/ccompat/v7', username: null, password: null, tls: none },
      clickhouse: { url: 'http://clickhouse:8123', user: 'default', password: '', tls: none },
    });
    expect(lanes.partitions).toBe(8);
  });

  it('take brokers from one variable, with commas', () => {
    const env = { ROLLSTREAM_KAFKA_BROKERS: 'a:1, b:2' };
    expect(load(CLUSTER, env).services?.kafka.brokers).toEqual(['a:1', 'b:2']);
  });

  it('take a user, and his password from a file, without the line break at its end', () => {
    const yaml = `${CLUSTER}kafka.sasl: {mechanism: scram-sha-512, username: alice, password_file: password}\n`;
    expect(load(yaml).services?.kafka.sasl).toEqual({
      mechanism: 'scram-sha-512',
      username: 'alice',
      password: 'hunter two',
    });
    const env = { ROLLSTREAM_CLICKHOUSE_PASSWORD_FILE: 'password', ROLLSTREAM_REGISTRY_USERNAME: 'bob' };
    expect(load(CLUSTER, env).services).toMatchObject({
      clickhouse: { password: 'hunter two' },
      registry: { username: 'bob' },
    });
  });

  it('use TLS as soon as there are files for it', () => {
    expect(load(`${CLUSTER}kafka.tls.enabled: true\n`).services?.kafka.tls).toEqual({
      ca: null,
      cert: null,
      key: null,
    });
    const { ca, cert, key } = load(`${CLUSTER}kafka.tls: {ca: ca.pem, cert: cert.pem, key: key.pem}\n`).services?.kafka
      .tls ?? { ca: null, cert: null, key: null };
    expect([ca, cert, key].map(String)).toEqual(['authorities', 'certificate', 'private key']);
  });
});

describe('refused, naming the key and what is allowed there, is', () => {
  it.each([
    ['a broker without a port', 'kafka.brokers: [kafka]\n', /kafka\.brokers .*\["kafka"\] is not a list of host:port/],
    [
      'a cluster without a registry',
      'kafka.brokers: a:1\nclickhouse.url: http://c\n',
      /registry\.url \(ROLLSTREAM_REGISTRY_URL\): kafka\.brokers needs it/,
    ],
    [
      'a cluster without ClickHouse',
      'kafka.brokers: a:1\nregistry.url: http://r\n',
      /clickhouse\.url \(ROLLSTREAM_CLICKHOUSE_URL\): kafka\.brokers needs it/,
    ],
    ['half a cluster', 'clickhouse.url: http://c\n', /clickhouse\.url: it is of no use without kafka\.brokers/],
    ['a folder beside a cluster', `${CLUSTER}data: here\n`, /data: with kafka\.brokers nothing is kept in a folder/],
    [
      'an address with a password in it',
      `${CLUSTER.replace('http://c', 'http://u:p@c')}`,
      /clickhouse\.url .*without user and password/,
    ],
    [
      'a mechanism that does not exist',
      `${CLUSTER}kafka.sasl.mechanism: kerberos\n`,
      /none, plain, scram-sha-256, scram-sha-512/,
    ],
    [
      'a mechanism without a user',
      `${CLUSTER}kafka.sasl.mechanism: plain\n`,
      /kafka\.sasl\.username .*kafka\.sasl\.mechanism needs it/,
    ],
    [
      'a user without a password',
      `${CLUSTER}kafka.sasl: {mechanism: plain, username: a}\n`,
      /kafka\.sasl\.password .*or ROLLSTREAM_KAFKA_SASL_PASSWORD_FILE/,
    ],
    [
      'a user without a mechanism',
      `${CLUSTER}kafka.sasl.username: a\n`,
      /kafka\.sasl\.mechanism: with a user, one of none, plain/,
    ],
    ['a password twice', `${CLUSTER}clickhouse: {password: a, password_file: password}\n`, /give one of the two/],
    [
      'a password from a file that is not there',
      `${CLUSTER}clickhouse.password_file: nowhere\n`,
      /clickhouse\.password_file: cannot read it: ENOENT/,
    ],
    [
      'a certificate without its key',
      `${CLUSTER}kafka.tls.cert: cert.pem\n`,
      /kafka\.tls\.key .*kafka\.tls\.cert needs it/,
    ],
    [
      'TLS that is off and has files',
      `${CLUSTER}kafka.tls: {enabled: false, ca: ca.pem}\n`,
      /kafka\.tls\.enabled: false, and there are files/,
    ],
    [
      'authorities for an address without TLS',
      `${CLUSTER}registry.tls.ca: ca.pem\n`,
      /registry\.tls\.ca: it needs an https address in registry\.url/,
    ],
  ])('%s', (_, yaml, message) => {
    expect(() => load(yaml)).toThrow(message);
    expect(() => load(yaml)).toThrow(expect.objectContaining({ code: 'RS_CONFIG' }));
  });

  it('a token in a file that is too short, without repeating it', () => {
    const env = { ROLLSTREAM_HTTP_TOKEN_FILE: 'password' };
    expect(() => load('', env)).toThrow(/http\.token \(http\.token_file\): what was given is not 16 or more/);
  });
});
