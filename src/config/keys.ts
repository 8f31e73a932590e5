import { AUDIT_KEYS } from './audit-keys.ts';
import { DELIVERY_KEYS } from './delivery-keys.ts';
import { choiceKey, durationKey, flagKey, integerKey, type Key, secretFileKey, sizeKey, textKey } from './key.ts';
import { SERVICE_KEYS } from './service-keys.ts';
import { TENANT_KEYS } from './tenant-keys.ts';

/** How much is written to stderr. */
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Every configuration key. `docs/configuration.md` is made from this. */
export const KEYS = {
  data: textKey({
    name: 'data',
    default: './rollstream-data',
    pattern: /./,
    allowed: 'a folder',
    doc: 'Folder of the embedded log, store and registry; one process owns it at a time.',
  }),
  partitions: {
    ...integerKey({
      name: 'partitions',
      default: null,
      min: 1,
      max: 1024,
      unit: 'partitions',
      doc: 'Partitions of rollout.steps, fixed once created; a lane works on each, and an embedded one costs an insert of its own in every flush. Unset, what exists is taken as it is.',
    }),
    defaultText: '1; on Kafka 8',
  },
  topicPrefix: textKey({
    name: 'topic_prefix',
    default: '',
    pattern: /^[A-Za-z0-9._-]{0,100}$/,
    allowed: 'up to 100 of A-Z a-z 0-9 . _ -',
    doc: 'Stands in front of every topic name, so that several pipelines share a broker.',
  }),
  httpHost: textKey({
    name: 'http.host',
    default: '127.0.0.1',
    pattern: /./,
    allowed: 'an address to listen on',
    doc: 'Address of the HTTP API; one that others can reach needs http.token.',
  }),
  httpPort: integerKey({
    name: 'http.port',
    default: null,
    min: 0,
    max: 65_535,
    unit: '0: any free one',
    doc: 'Port of the HTTP API; unset: 8080, else the next free one.',
  }),
  httpAdvertisedUrl: textKey({
    name: 'http.advertised_url',
    default: null,
    pattern: /^https?:\/\/[^\s/?#@]+\/?$/,
    allowed: 'http:// or https://, a host and a port',
    doc: 'Where other servers reach this one, which forward to it while it grants leases; unset: the address that it listens on. Each of several hosts that listen on 0.0.0.0 needs its own.',
  }),
  httpToken: textKey({
    name: 'http.token',
    default: null,
    pattern: /^[\x21-\x7e]{16,}$/,
    allowed: '16 or more printable characters without blanks',
    secret: true,
    doc: 'Token that requests to /v1 must carry, as a bearer or by a page that signed in with it; clients read it from the same key.',
  }),
  clickhouseHttpEnabled: flagKey({
    name: 'clickhouse_http.enabled',
    default: true,
    doc: "`up` in embedded mode also answers as a ClickHouse server does, on http.host, with http.token as the password; its queries share the process's cores.",
  }),
  clickhouseHttpPort: integerKey({
    name: 'clickhouse_http.port',
    default: null,
    min: 0,
    max: 65_535,
    unit: '0: any free one',
    doc: 'Port for ClickHouse clients; unset: 8123, else the next free one.',
  }),
  clickhouseHttpWritable: flagKey({
    name: 'clickhouse_http.writable',
    default: false,
    doc: 'ClickHouse clients may also insert rows and change tables; wrong rows then count like any other.',
  }),
  bodyBytes: sizeKey({
    name: 'limits.body',
    default: '32MB',
    min: '64KB',
    max: '1GB',
    doc: 'Largest request body; each request may hold that much memory.',
  }),
  ingestBodyBytes: sizeKey({
    name: 'limits.ingest_body',
    default: '256MB',
    min: '64KB',
    max: '16GB',
    doc: 'Largest body of POST /v1/steps and /v1/verdicts, after gunzip; it is read record by record and not held.',
  }),
  ingestInFlightBytes: sizeKey({
    name: 'limits.ingest_in_flight',
    default: '256MB',
    min: '1MB',
    max: '64GB',
    doc: 'Memory that these bodies may take together, up to 4 MB each unless a record is larger; over it a request is answered 429 before it is read.',
  }),
  queryMs: durationKey({
    name: 'limits.query_time',
    default: '1m',
    min: '1s',
    max: '1h',
    doc: 'Time that one user query may take; a long one keeps cores from the lanes.',
  }),
  queryRows: integerKey({
    name: 'limits.query_rows',
    default: 1_000_000,
    min: 1,
    max: 100_000_000,
    unit: 'rows',
    doc: 'Rows that one user query may return; a larger result is refused, not cut.',
  }),
  queryBytes: sizeKey({
    name: 'limits.query_memory',
    default: '2GB',
    min: '16MB',
    max: '1024GB',
    doc: 'Memory that one user query may use.',
  }),
  gapMs: durationKey({
    name: 'deadlines.gap',
    default: '30s',
    min: '10ms',
    max: '1d',
    doc: 'Wait for a missing seq; shorter closes attempts whose events only came late.',
  }),
  orphanMs: durationKey({
    name: 'deadlines.orphan',
    default: '30s',
    min: '10ms',
    max: '1d',
    doc: 'Wait for the start of a rollout whose later steps came first.',
  }),
  verdictMs: durationKey({
    name: 'deadlines.verdict',
    default: '10m',
    min: '10ms',
    max: '7d',
    doc: 'Wait for required verdicts after the end; then they count as missing.',
  }),
  idleMs: durationKey({
    name: 'deadlines.idle',
    default: '15m',
    min: '10ms',
    max: '7d',
    doc: 'Silence after which the worker of an attempt counts as lost; keep it above the longest tool call.',
  }),
  groupMs: durationKey({
    name: 'deadlines.group',
    default: '1h',
    min: '10ms',
    max: '30d',
    doc: 'Wait for the other members of a group of known size.',
  }),
  lifetimeMs: durationKey({
    name: 'deadlines.lifetime',
    default: '1d',
    min: '1s',
    max: '30d',
    doc: 'No unit stays open longer; a restart reads again from the oldest open one.',
  }),
  reorderEvents: integerKey({
    name: 'reorder_events',
    default: 256,
    min: 1,
    max: 65_536,
    unit: 'events',
    doc: 'Events of one attempt held back for a missing seq; each is kept whole in memory.',
  }),
  flushMs: durationKey({
    name: 'flush.interval',
    default: '250ms',
    min: '1ms',
    max: '1m',
    doc: 'Longest wait before a flush; shorter is fresher and costs more inserts.',
  }),
  flushBytes: sizeKey({
    name: 'flush.bytes',
    default: '32MB',
    min: '64KB',
    max: '1GB',
    doc: 'Bytes read that begin a flush at once.',
  }),
  flushRows: integerKey({
    name: 'flush.rows',
    default: 20_000,
    min: 1,
    max: 10_000_000,
    unit: 'rows',
    doc: 'Rows that begin a flush at once.',
  }),
  inFlightBytes: sizeKey({
    name: 'in_flight',
    default: '256MB',
    min: '1MB',
    max: '1024GB',
    doc: 'Bytes read and not yet committed, over all lanes; reading stops there until a flush ends.',
  }),
  replayChunkEvents: integerKey({
    name: 'replay.chunk_events',
    default: null,
    min: 1,
    max: 10_000_000,
    unit: 'events',
    doc: 'Events that a replay reads, scores and writes at once, about; unset: as many as 64 MB hold. Fewer cost an insert of their own each.',
  }),
  gateMs: durationKey({
    name: 'gate.interval',
    default: '5s',
    min: '50ms',
    max: '1h',
    doc: 'Time between two looks at the gates of runs: a run that is over a limit goes on for at most that long.',
  }),
  gateWebhook: textKey({
    name: 'gate.webhook',
    default: null,
    pattern: /^https?:\/\/\S+$/,
    allowed: 'a URL of http or https',
    secret: true,
    doc: 'Each change of a gate is POSTed there as JSON, once, without waiting for the answer.',
  }),
  logLevel: choiceKey<LogLevel | 'auto'>({
    name: 'log_level',
    default: 'auto',
    choices: ['auto', ...LOG_LEVELS],
    doc: 'What is logged to stderr; auto: info for a server without a terminal, else warn. debug also prints the stack of an error.',
  }),
  policyFile: textKey({
    name: 'policy_file',
    default: null,
    pattern: /./,
    allowed: 'a YAML file, or the name of a policy that is shipped (`rollstream policy list`)',
    doc: 'Policy that decides rewards and dispositions; while it is set, `policy apply` is refused. Unset: the one applied last, else `default`.',
  }),
  taxonomyFile: textKey({
    name: 'taxonomy_file',
    default: null,
    pattern: /./,
    allowed: 'a YAML file',
    doc: 'Taxonomy of termination reasons; unset: the one that is shipped.',
  }),
};

const NAMED_KEYS: readonly Key<unknown>[] = [
  ...Object.values(KEYS),
  ...Object.values(TENANT_KEYS),
  ...Object.values(AUDIT_KEYS),
  ...Object.values(DELIVERY_KEYS),
  ...Object.values(SERVICE_KEYS),
];

export const ALL_KEYS: readonly Key<unknown>[] = NAMED_KEYS.flatMap((key) =>
  key.secret ? [key, secretFileKey(key)] : [key],
);
