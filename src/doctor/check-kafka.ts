import type { Logger } from 'pino';
import { serviceOptions } from '../backends/service-options.ts';
import { wantedTopics } from '../backends/wanted-topics.ts';
import { openKafkaBroker } from '../broker/kafka/open-kafka-broker.ts';
import { openTopicAdmin } from '../broker/kafka/topic-admin.ts';
import type { PlannedTopic } from '../broker/kafka/topic-plan.ts';
import type { Broker } from '../broker/port.ts';
import type { Config } from '../config/config.ts';
import type { ServicesConfig } from '../config/services-config.ts';
import { laneGroup, topicNames } from '../config/topics.ts';
import { type Check, CheckFault, runCheck } from './check.ts';
import { clockSkew } from './clock-skew.ts';

export interface KafkaCheckDeps {
  readonly config: Config;
  readonly services: ServicesConfig;
  readonly log: Logger;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** Of the tombstone that measures the clock and the right to write: on a compacted topic it leaves nothing behind. */
const PROBE_KEY = 'rollstream-doctor';
const REACH = 'see that it runs and listens there; check kafka.brokers, kafka.tls.* and kafka.sasl.*';
const MAY = (operation: string, resource: string) =>
  `kafka-acls --add --allow-principal User:NAME --operation ${operation} ${resource}`;

/** Each broker, each topic, and each right that a worker needs. */
export async function checkKafka(deps: KafkaCheckDeps): Promise<Check[]> {
  const { kafka } = serviceOptions(deps.services, deps.log);
  const checks: Check[] = [];
  for (const address of kafka.brokers) {
    const open = () => openKafkaBroker({ ...kafka, brokers: [address] });
    checks.push(
      await runCheck(`broker ${address}`, REACH, async () => {
        await (await open()).close();
        return 'answers, Kafka 3.0 or newer';
      }),
    );
  }
  if (checks.every(({ status }) => status !== 'ok')) return checks;
  checks.push(...(await checkTopics(deps)));
  const broker = await openKafkaBroker(kafka);
  try {
    checks.push(...(await checkRights(broker, deps)));
  } finally {
    await broker.close();
  }
  return checks;
}

async function checkTopics({ config, services, log }: KafkaCheckDeps): Promise<Check[]> {
  const admin = await openTopicAdmin(serviceOptions(services, log).kafka);
  try {
    const checks: Check[] = [];
    for (const wanted of wantedTopics(config, services)) {
      const plan = () => admin.plan([wanted]);
      checks.push(
        await runCheck(`topic ${wanted.name}`, MAY('DescribeConfigs', `--topic ${wanted.name}`), async () => {
          const [planned] = await plan();
          return planned === undefined ? '' : topicDetail(planned);
        }),
      );
    }
    checks.push(
      await runCheck('commits kept', MAY('DescribeConfigs', '--cluster'), async () =>
        commitsKeptDetail(await admin.offsetsRetentionMs(), services.kafka.longestOutageMs),
      ),
    );
    return checks;
  } finally {
    await admin.close();
  }
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** What a lane has done is in its commit: a group that is away for longer than it is kept cannot go on. */
function commitsKeptDetail(keptMs: number | null, longestOutageMs: number): string {
  if (keptMs === null) return 'the brokers do not tell offsets.retention.minutes: it must exceed kafka.longest_outage';
  const text = `offsets.retention.minutes=${keptMs / 60_000}: ${Number((keptMs / DAY_MS).toFixed(1))} days without a worker`;
  if (keptMs >= longestOutageMs) return text;
  throw new CheckFault(
    `${text}, which is less than kafka.longest_outage`,
    `set offsets.retention.minutes=${Math.ceil(longestOutageMs / 60_000)} or more on every broker, and restart them`,
  );
}

function topicDetail({ action, partitions, replicationFactor, findings }: PlannedTopic): string {
  const what = findings.map(({ text }) => text).join('; ');
  if (action === 'create')
    throw new CheckFault('it does not exist', '`rollstream topics apply` creates it, as `rollstream up` does');
  if (findings.some(({ kind }) => kind === 'refuse')) throw new CheckFault(what, '`rollstream topics plan` explains');
  if (findings.some(({ kind }) => kind === 'change'))
    throw new CheckFault(what, '`rollstream topics apply` changes it');
  const size = `partitions ${partitions}, copies ${replicationFactor ?? 'unknown'}`;
  return what === '' ? size : `${size}; ${what}`;
}

async function checkRights(broker: Broker, { config, now }: KafkaCheckDeps): Promise<Check[]> {
  const topics = topicNames(config.lanes.topicPrefix);
  const group = laneGroup(config.lanes.topicPrefix);
  const prefixed = '--resource-pattern-type prefixed';
  return [
    await runCheck(`read ${topics.steps}`, MAY('Read', `--topic ${topics.steps}`), async () => {
      const { start, end } = await broker.bounds(topics.steps, 0);
      await broker.read(topics.steps, 0, end, { maxBytes: 1, maxWaitMs: 0 });
      return `partition 0 holds offsets ${start} to ${end}`;
    }),
    await runCheck(`group ${group}`, MAY('Read', `--group ${group}`), async () => {
      const commit = await broker.committed(group, topics.steps, 0);
      return commit === null ? 'nothing is committed yet' : `partition 0 is committed up to ${commit.offset}`;
    }),
    await runCheck('transactions', MAY('Write', `--transactional-id ${group}. ${prefixed}`), async () => {
      await (await broker.transactional(`${group}.doctor`)).close();
      return 'allowed';
    }),
    await runCheck(`write ${topics.state}, clock`, MAY('Write', `--topic ${topics.state}`), () =>
      clockSkew(now, async () => {
        const [position] = await broker.append(topics.state, [{ key: PROBE_KEY, value: null }]);
        const { partition = 0, offset = 0 } = position ?? {};
        const [record] = await broker.read(topics.state, partition, offset, { maxBytes: 1, maxWaitMs: 0 });
        if (record === undefined)
          throw new CheckFault('what was written cannot be read', MAY('Read', `--topic ${topics.state}`));
        return record.timestampMs;
      }),
    ),
  ];
}
