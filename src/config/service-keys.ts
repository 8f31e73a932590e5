import { choiceKey, durationKey, flagKey, integerKey, listKey, textKey } from './key.ts';

const URL_PATTERN = /^https?:\/\/[^\s@]+$/;
const URL_ALLOWED = 'an http or https address without user and password';

function fileKey(name: string, doc: string) {
  return textKey<string | null>({ name, default: null, pattern: /./, allowed: 'a PEM file', doc });
}

function nameKey(name: string, doc: string) {
  return textKey<string | null>({ name, default: null, pattern: /./, doc });
}

function secretKey(name: string, doc: string) {
  return textKey<string | null>({ name, default: null, pattern: /./, secret: true, doc });
}

/** Keys of the distributed mode: where Kafka, the schema registry and ClickHouse are, and who we are to them. */
export const SERVICE_KEYS = {
  brokers: listKey({
    name: 'kafka.brokers',
    default: [],
    pattern: /^(?:\[[0-9A-Fa-f:]+\]|[^\s,:/[\]]+):\d{1,5}$/,
    items: 'host:port',
    doc: 'Kafka brokers to ask first. Set, it is what makes this a worker of a cluster instead of a process with a data folder; registry.url and clickhouse.url must then be set too.',
  }),
  clientId: textKey({
    name: 'kafka.client_id',
    default: 'rollstream',
    pattern: /^[A-Za-z0-9._-]{1,200}$/,
    allowed: '1 to 200 of A-Z a-z 0-9 . _ -',
    doc: 'Name in the logs and quotas of the brokers.',
  }),
  kafkaTls: flagKey({
    name: 'kafka.tls.enabled',
    default: false,
    doc: 'TLS to the brokers; any of the files below also turns it on.',
  }),
  kafkaCa: fileKey('kafka.tls.ca', 'Certificate authorities of the brokers; unset: those of the system.'),
  kafkaCert: fileKey('kafka.tls.cert', 'Certificate that we show the brokers; with kafka.tls.key.'),
  kafkaKey: fileKey('kafka.tls.key', 'Private key of kafka.tls.cert.'),
  mechanism: choiceKey({
    name: 'kafka.sasl.mechanism',
    default: 'none',
    choices: ['none', 'plain', 'scram-sha-256', 'scram-sha-512'],
    doc: 'How we authenticate to the brokers; plain sends the password as it is, so use it with TLS.',
  }),
  kafkaUsername: nameKey('kafka.sasl.username', 'User of the brokers.'),
  kafkaPassword: secretKey('kafka.sasl.password', 'Password of kafka.sasl.username.'),
  replicationFactor: integerKey({
    name: 'kafka.replication_factor',
    default: null,
    min: 1,
    max: 32,
    unit: 'copies',
    doc: 'Copies of each partition of a topic that is created; unset: as the cluster says. From 3 on a write waits for two of them.',
  }),
  longestOutageMs: durationKey({
    name: 'kafka.longest_outage',
    default: '2d',
    min: '1h',
    max: '365d',
    doc: 'How long everything may stand still without loss: topics keep records for 2 × deadlines.lifetime + this. Longer costs disk.',
  }),
  registryUrl: textKey({
    name: 'registry.url',
    default: null,
    pattern: URL_PATTERN,
    allowed: URL_ALLOWED,
    doc: "Schema registry with Confluent's API, with its path: http://host:8081/apis/ccompat/v7 for Apicurio.",
  }),
  registryUsername: nameKey('registry.username', 'User of the registry.'),
  registryPassword: secretKey('registry.password', 'Password of registry.username.'),
  registryCa: fileKey('registry.tls.ca', 'Certificate authorities of the registry; unset: those of the system.'),
  registryCert: fileKey('registry.tls.cert', 'Certificate that we show the registry; with registry.tls.key.'),
  registryKey: fileKey('registry.tls.key', 'Private key of registry.tls.cert.'),
  clickhouseUrl: textKey({
    name: 'clickhouse.url',
    default: null,
    pattern: URL_PATTERN,
    allowed: URL_ALLOWED,
    doc: "ClickHouse's HTTP interface, such as http://host:8123. The database is rollstream.",
  }),
  clickhouseUser: textKey({ name: 'clickhouse.user', default: 'default', pattern: /./, doc: 'User of ClickHouse.' }),
  clickhousePassword: secretKey('clickhouse.password', 'Password of clickhouse.user.'),
  clickhouseCa: fileKey('clickhouse.tls.ca', 'Certificate authorities of ClickHouse; unset: those of the system.'),
  clickhouseCert: fileKey(
    'clickhouse.tls.cert',
    'Certificate that we show ClickHouse; with clickhouse.tls.key and clickhouse.tls.ca.',
  ),
  clickhouseKey: fileKey('clickhouse.tls.key', 'Private key of clickhouse.tls.cert.'),
};
