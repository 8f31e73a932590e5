import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { RollstreamError } from '../errors.ts';
import { policyFileOf } from '../policies/shipped-policies.ts';
import { AUDIT_KEYS } from './audit-keys.ts';
import type { Config } from './config.ts';
import { DELIVERY_KEYS } from './delivery-keys.ts';
import { isLoopback } from './is-loopback.ts';
import { environmentNameOf, type Key, KeyFault, secretFileKey } from './key.ts';
import { ALL_KEYS, KEYS } from './keys.ts';
import { suggestion } from './nearest.ts';
import { readConfigFile } from './read-config-file.ts';
import { readServices } from './read-services.ts';
import { TENANT_KEYS } from './tenant-keys.ts';

/** Where values come from; earlier ones win: flags, environment, file, defaults. */
export interface Sources {
  /** By key name. */
  readonly flags: Readonly<Record<string, string | undefined>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Value of --config, if given; else ROLLSTREAM_CONFIG names the file. */
  readonly file?: string;
  readonly cwd: string;
}

interface Given {
  readonly value: unknown;
  readonly text: boolean;
  readonly from: string;
}

const FILE_VARIABLE = 'ROLLSTREAM_CONFIG';
/** Read by the scripts of infra/ that start services, in the same shell. */
const OF_SCRIPTS: ReadonlySet<string> = new Set([
  'ROLLSTREAM_SERVICES_DIR',
  'ROLLSTREAM_KAFKA_PORT',
  'ROLLSTREAM_KAFKA_CONTROLLER_PORT',
  'ROLLSTREAM_KAFKA_PROPERTIES',
  'ROLLSTREAM_REGISTRY_PORT',
  'ROLLSTREAM_CLICKHOUSE_PORT',
]);
/** Of rollout.steps; one lane is enough for one process, several workers need several. */
const EMBEDDED_PARTITIONS = 1;
const KAFKA_PARTITIONS = 8;

/** The configuration; RS_CONFIG names the key, where it was given, and what is allowed there. */
export function loadConfig(sources: Sources): Config {
  const given = gather(sources);
  const read = <T>(key: Key<T>): T => {
    const entry = given.get(key.name);
    return entry === undefined ? key.default : parse(key, entry);
  };
  const file = (key: Key<string | null>): Buffer | null => {
    const path = read(key);
    return path === null ? null : readNamedFile(resolve(sources.cwd, path), key.name);
  };
  const secret = <T extends string | null>(key: Key<T>): T => {
    const fileKey = secretFileKey(key);
    const content = file(fileKey);
    if (content === null) return read(key);
    if (given.has(key.name)) throw refusal(fileKey.name, `${key.name} and ${fileKey.name}: give one of the two`);
    return parse(key, { value: content.toString('utf8').replace(/\r?\n$/, ''), text: true, from: fileKey.name });
  };
  const services = readServices({ value: read, secret, file, isGiven: (name) => given.has(name) });
  const policyFile = read(KEYS.policyFile);
  const taxonomyFile = read(KEYS.taxonomyFile);
  const blobFolder = read(DELIVERY_KEYS.blobFolder);
  const tokensFile = read(TENANT_KEYS.tokensFile);
  const tokenizers = read(AUDIT_KEYS.tokenizers).map((item) => {
    const [name = '', ...folder] = item.split('=');
    return { name, folder: resolve(sources.cwd, folder.join('=')) };
  });
  const config: Config = {
    data: resolve(sources.cwd, read(KEYS.data)),
    dataGiven: given.has(KEYS.data.name),
    http: {
      host: read(KEYS.httpHost),
      port: read(KEYS.httpPort),
      advertisedUrl: read(KEYS.httpAdvertisedUrl),
      token: secret(KEYS.httpToken),
      tokensFile: tokensFile === null ? null : resolve(sources.cwd, tokensFile),
    },
    clickhouseHttp: read(KEYS.clickhouseHttpEnabled)
      ? { port: read(KEYS.clickhouseHttpPort), writable: read(KEYS.clickhouseHttpWritable) }
      : null,
    limits: {
      bodyBytes: read(KEYS.bodyBytes),
      ingest: { bodyBytes: read(KEYS.ingestBodyBytes), inFlightBytes: read(KEYS.ingestInFlightBytes) },
      run: {
        eventsPerSecond: read(TENANT_KEYS.runEventsPerSecond),
        inFlightBytes: read(TENANT_KEYS.runInFlightBytes),
      },
      query: { timeMs: read(KEYS.queryMs), rows: read(KEYS.queryRows), memoryBytes: read(KEYS.queryBytes) },
    },
    lanes: {
      partitions: read(KEYS.partitions) ?? (services === null ? EMBEDDED_PARTITIONS : KAFKA_PARTITIONS),
      topicPrefix: read(KEYS.topicPrefix),
      deadlines: {
        gapMs: read(KEYS.gapMs),
        orphanMs: read(KEYS.orphanMs),
        verdictMs: read(KEYS.verdictMs),
        idleMs: read(KEYS.idleMs),
        groupMs: read(KEYS.groupMs),
        lifetimeMs: read(KEYS.lifetimeMs),
      },
      reorderEvents: read(KEYS.reorderEvents),
      flush: { intervalMs: read(KEYS.flushMs), maxBytes: read(KEYS.flushBytes), maxRows: read(KEYS.flushRows) },
      inFlightBytes: read(KEYS.inFlightBytes),
      ...(tokenizers.length === 0
        ? {}
        : {
            audits: {
              tokenizers,
              sampledShare: read(AUDIT_KEYS.auditSample) / 100,
              workers: read(AUDIT_KEYS.auditWorkers),
            },
          }),
      ...(policyFile === null ? {} : { policyFile: policyFileOf(sources.cwd, policyFile) }),
      ...(taxonomyFile === null ? {} : { taxonomyFile: resolve(sources.cwd, taxonomyFile) }),
    },
    gate: { intervalMs: read(KEYS.gateMs), webhook: secret(KEYS.gateWebhook) },
    replay: { chunkEvents: read(KEYS.replayChunkEvents) },
    delivery: {
      leaseMs: read(DELIVERY_KEYS.leaseMs),
      maxDeliveries: read(DELIVERY_KEYS.maxDeliveries),
      keptCheckpoints: read(DELIVERY_KEYS.keptCheckpoints),
      unsealedTrajectories: read(DELIVERY_KEYS.unsealedTrajectories),
      blobFolder: blobFolder === null ? null : resolve(sources.cwd, blobFolder),
      blobRetentionMs: read(DELIVERY_KEYS.blobRetentionMs),
    },
    partitionsGiven: given.has(KEYS.partitions.name),
    services,
    logLevel: read(KEYS.logLevel),
  };
  checkRelations(config);
  return config;
}

function parse<T>(key: Key<T>, { value, text, from }: Given): T {
  const parsed = key.parse(value, text);
  if (!(parsed instanceof KeyFault)) return parsed;
  const got = key.secret ? 'what was given' : JSON.stringify(value);
  throw refusal(key.name, `${key.name} (${from}): ${got} is not ${parsed.allowed}`);
}

function readNamedFile(path: string, field: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_CONFIG', `${field}: cannot read it: ${why}`, { cause, facts: { field } });
  }
}

function refusal(field: string, message: string): RollstreamError {
  return new RollstreamError('RS_CONFIG', message, { facts: { field } });
}

function gather(sources: Sources): Map<string, Given> {
  const given = new Map<string, Given>();
  const names = ALL_KEYS.map((key) => key.name);
  const file = sources.file ?? sources.env[FILE_VARIABLE];
  if (file !== undefined && file !== '') {
    for (const [name, value] of readConfigFile(resolve(sources.cwd, file))) {
      if (!names.includes(name)) throw unknown('key', name, names, file);
      given.set(name, { value, text: false, from: file });
    }
  }
  const variables = new Map(names.map((name) => [environmentNameOf(name), name]));
  for (const [variable, value] of Object.entries(sources.env)) {
    if (!variable.startsWith('ROLLSTREAM_') || variable === FILE_VARIABLE || value === undefined) continue;
    if (OF_SCRIPTS.has(variable)) continue;
    const name = variables.get(variable);
    if (name === undefined) {
      throw unknown('variable', variable, [...variables.keys(), FILE_VARIABLE], 'the environment');
    }
    if (value !== '') given.set(name, { value, text: true, from: variable });
  }
  for (const [name, value] of Object.entries(sources.flags)) {
    if (value !== undefined) given.set(name, { value, text: true, from: 'command line' });
  }
  return given;
}

function unknown(noun: string, name: string, known: readonly string[], from: string): RollstreamError {
  return new RollstreamError('RS_CONFIG', `unknown ${noun} ${name} in ${from}${suggestion(name, known)}`, {
    facts: { field: name },
  });
}

/** Settings that are each allowed and together break a promise. */
function checkRelations(config: Config): void {
  if (config.http.token === null && !isLoopback(config.http.host)) {
    throw new RollstreamError(
      'RS_CONFIG',
      `http.host ${config.http.host} can be reached by others: set http.token (ROLLSTREAM_HTTP_TOKEN) first`,
      { facts: { field: 'http.host' } },
    );
  }
  if (config.lanes.flush.maxBytes > config.lanes.inFlightBytes) {
    throw new RollstreamError(
      'RS_CONFIG',
      'flush.bytes is larger than in_flight: reading would stop before a flush begins',
      { facts: { field: 'flush.bytes' } },
    );
  }
}
