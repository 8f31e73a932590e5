import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packageFile } from '../../src/config/package-file.ts';
import { type FrontProcess, startFront } from '../clickhouse-front/start-front.ts';
import { freePorts } from '../kafka/free-ports.ts';
import { cpuSecondsOf } from './process-cost.ts';

const run = promisify(execFile);
const START_TRIES = 5;

/** Kafka, a registry and a ClickHouse server, each a process that can go away and come back where it was. */
export interface Cluster {
  /** host:port. */
  readonly brokers: string;
  readonly registryUrl: string;
  readonly clickhouseUrl: string;
  /** `hard`: SIGKILL, else SIGTERM. */
  stopKafka(hard: boolean): Promise<void>;
  startKafka(): Promise<void>;
  stopRegistry(): Promise<void>;
  startRegistry(): Promise<void>;
  /** SIGKILL. */
  stopFront(): Promise<void>;
  startFront(): Promise<void>;
  /** CPU time of the services so far. */
  cpuSeconds(): Promise<{ readonly kafka: number; readonly clickhouse: number }>;
  close(): Promise<void>;
}

export async function startCluster(folder: string): Promise<Cluster> {
  const [kafka = 0, controller = 0, registry = 0, frontPort = 0] = await freePorts(4);
  const env = {
    ...process.env,
    ROLLSTREAM_SERVICES_DIR: folder,
    ROLLSTREAM_KAFKA_PORT: `${kafka}`,
    ROLLSTREAM_KAFKA_CONTROLLER_PORT: `${controller}`,
    ROLLSTREAM_REGISTRY_PORT: `${registry}`,
  };
  const service = async (name: 'kafka' | 'registry', what: 'start' | 'stop'): Promise<void> => {
    await run(packageFile('infra', name, name), [what], { env });
  };
  /** As a supervisor does: on a machine that is too busy a service may give up while it starts. */
  const startAgain = async (name: 'kafka' | 'registry'): Promise<void> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await service(name, 'start');
      } catch (error) {
        if (tries === START_TRIES) throw error;
      }
    }
  };
  const store = join(folder, 'clickhouse');
  await mkdir(store, { recursive: true });
  let front: FrontProcess | null = null;
  const openFront = async (): Promise<void> => {
    front = await startFront({ folder: store, port: frontPort, writable: true });
  };
  const closeFront = async (): Promise<void> => {
    const open = front;
    front = null;
    await open?.kill();
  };
  const close = async (): Promise<void> => {
    await Promise.all([closeFront(), service('registry', 'stop'), service('kafka', 'stop')]);
  };
  try {
    await Promise.all([openFront(), startAgain('kafka'), startAgain('registry')]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    brokers: `127.0.0.1:${kafka}`,
    registryUrl: `http://127.0.0.1:${registry}/apis/ccompat/v7`,
    clickhouseUrl: `http://127.0.0.1:${frontPort}`,
    async stopKafka(hard) {
      if (hard) process.kill(Number(await readFile(join(folder, 'kafka', 'pid'), 'utf8')), 'SIGKILL');
      await service('kafka', 'stop');
    },
    startKafka: () => startAgain('kafka'),
    stopRegistry: () => service('registry', 'stop'),
    startRegistry: () => startAgain('registry'),
    stopFront: closeFront,
    startFront: openFront,
    async cpuSeconds() {
      const pid = Number(await readFile(join(folder, 'kafka', 'pid'), 'utf8'));
      return { kafka: await cpuSecondsOf(pid), clickhouse: await cpuSecondsOf(front?.pid) };
    },
    close,
  };
}

/** Configuration of a worker on the cluster; keys given win. */
export async function writeWorkerConfig(
  path: string,
  { brokers, registryUrl, clickhouseUrl }: Pick<Cluster, 'brokers' | 'registryUrl' | 'clickhouseUrl'>,
  keys: Readonly<Record<string, string | number>>,
): Promise<void> {
  const all = {
    'kafka.brokers': [brokers],
    'registry.url': registryUrl,
    'clickhouse.url': clickhouseUrl,
    'http.port': 0,
    log_level: 'info',
    ...keys,
  };
  // JSON is YAML.
  await writeFile(path, JSON.stringify(all));
}
