import { RollstreamError } from '../errors.ts';
import { environmentNameOf, type Key } from './key.ts';
import { SERVICE_KEYS } from './service-keys.ts';
import type { ServicesConfig, TlsFiles } from './services-config.ts';

/** Values by key, as the sources gave them. */
export interface KeyReader {
  value<T>(key: Key<T>): T;
  /** Its value, or what its file holds. */
  secret(key: Key<string | null>): string | null;
  /** Content of the file that the key names. */
  file(key: Key<string | null>): Buffer | null;
  isGiven(name: string): boolean;
}

const KEYS = SERVICE_KEYS;

/** null: embedded. RS_CONFIG where the keys do not fit each other. */
export function readServices(reader: KeyReader): ServicesConfig | null {
  const brokers = reader.value(KEYS.brokers);
  if (brokers.length === 0) {
    refuseWithoutBrokers(reader);
    return null;
  }
  if (reader.isGiven('data')) {
    throw refusal('data', 'data: with kafka.brokers nothing is kept in a folder; leave one of the two out');
  }
  return {
    kafka: {
      brokers,
      clientId: reader.value(KEYS.clientId),
      tls: kafkaTls(reader),
      sasl: saslOf(reader),
      replicationFactor: reader.value(KEYS.replicationFactor),
      longestOutageMs: reader.value(KEYS.longestOutageMs),
    },
    registry: {
      url: needed(KEYS.registryUrl, reader.value(KEYS.registryUrl), 'kafka.brokers'),
      ...registryUser(reader),
      tls: tlsFiles(reader, KEYS.registryCa, KEYS.registryCert, KEYS.registryKey, KEYS.registryUrl),
    },
    clickhouse: {
      url: needed(KEYS.clickhouseUrl, reader.value(KEYS.clickhouseUrl), 'kafka.brokers'),
      user: reader.value(KEYS.clickhouseUser),
      password: reader.secret(KEYS.clickhousePassword) ?? '',
      tls: clickhouseTls(reader),
    },
  };
}

/** Half a cluster is a mistake: silently taken for embedded mode, a worker would serve an empty folder. */
function refuseWithoutBrokers(reader: KeyReader): void {
  for (const { name } of Object.values(KEYS)) {
    if (reader.isGiven(name) || reader.isGiven(`${name}_file`)) {
      throw refusal(name, `${name}: it is of no use without kafka.brokers`);
    }
  }
}

function saslOf(reader: KeyReader): ServicesConfig['kafka']['sasl'] {
  const mechanism = reader.value(KEYS.mechanism);
  const username = reader.value(KEYS.kafkaUsername);
  const password = reader.secret(KEYS.kafkaPassword);
  if (mechanism === 'none') {
    if (username === null && password === null) return null;
    throw refusal(
      'kafka.sasl.mechanism',
      `kafka.sasl.mechanism: with a user, one of ${KEYS.mechanism.allowed} is needed`,
    );
  }
  return {
    mechanism,
    username: needed(KEYS.kafkaUsername, username, 'kafka.sasl.mechanism'),
    password: needed(KEYS.kafkaPassword, password, 'kafka.sasl.mechanism'),
  };
}

function registryUser(reader: KeyReader): { readonly username: string | null; readonly password: string | null } {
  const username = reader.value(KEYS.registryUsername);
  const password = reader.secret(KEYS.registryPassword);
  if (password !== null) needed(KEYS.registryUsername, username, 'registry.password');
  return { username, password };
}

function kafkaTls(reader: KeyReader): TlsFiles | null {
  const files = filesOf(reader, KEYS.kafkaCa, KEYS.kafkaCert, KEYS.kafkaKey);
  const isOn = reader.value(KEYS.kafkaTls) || files.ca !== null || files.cert !== null;
  if (isOn && reader.isGiven(KEYS.kafkaTls.name) && !reader.value(KEYS.kafkaTls)) {
    throw refusal(KEYS.kafkaTls.name, `${KEYS.kafkaTls.name}: false, and there are files for it: leave them out`);
  }
  return isOn ? files : null;
}

function clickhouseTls(reader: KeyReader): TlsFiles {
  const files = tlsFiles(reader, KEYS.clickhouseCa, KEYS.clickhouseCert, KEYS.clickhouseKey, KEYS.clickhouseUrl);
  if (files.cert !== null) needed(KEYS.clickhouseCa, files.ca, KEYS.clickhouseCert.name);
  return files;
}

type FileKey = Key<string | null>;

function tlsFiles(reader: KeyReader, ca: FileKey, cert: FileKey, key: FileKey, url: FileKey): TlsFiles {
  const files = filesOf(reader, ca, cert, key);
  const given = [ca, cert, key].find(({ name }) => reader.isGiven(name));
  if (given !== undefined && !reader.value(url)?.startsWith('https:')) {
    throw refusal(given.name, `${given.name}: it needs an https address in ${url.name}`);
  }
  return files;
}

function filesOf(reader: KeyReader, ca: FileKey, cert: FileKey, key: FileKey): TlsFiles {
  const files = { ca: reader.file(ca), cert: reader.file(cert), key: reader.file(key) };
  if (files.cert !== null) needed(key, files.key, cert.name);
  if (files.key !== null) needed(cert, files.cert, key.name);
  return files;
}

function needed<T>(key: Key<unknown>, value: T | null, because: string): T {
  if (value !== null) return value;
  const file = key.secret ? ` or ${environmentNameOf(`${key.name}_file`)}` : '';
  throw refusal(key.name, `${key.name} (${environmentNameOf(key.name)}${file}): ${because} needs it: ${key.allowed}`);
}

function refusal(field: string, message: string): RollstreamError {
  return new RollstreamError('RS_CONFIG', message, { facts: { field } });
}
