import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    kafka: string;
    registry: string;
  }
}

const run = promisify(execFile);

/**
 * Starts Kafka and the registry on free ports, and stops them after the last test. ROLLSTREAM_TEST_KAFKA (host:port) and
 * ROLLSTREAM_TEST_REGISTRY (a URL) name services that run already, and are left running.
 */
export default async function services({ provide }: TestProject): Promise<() => Promise<void>> {
  const { ROLLSTREAM_TEST_KAFKA, ROLLSTREAM_TEST_REGISTRY } = process.env;
  if (ROLLSTREAM_TEST_KAFKA !== undefined && ROLLSTREAM_TEST_REGISTRY !== undefined) {
    provide('kafka', ROLLSTREAM_TEST_KAFKA);
    provide('registry', ROLLSTREAM_TEST_REGISTRY);
    return async () => undefined;
  }
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-services-'));
  const [kafka, controller, registry] = await freePorts(3);
  const env = {
    ...process.env,
    ROLLSTREAM_SERVICES_DIR: folder,
    ROLLSTREAM_KAFKA_PORT: `${kafka}`,
    ROLLSTREAM_KAFKA_CONTROLLER_PORT: `${controller}`,
    ROLLSTREAM_REGISTRY_PORT: `${registry}`,
  };
  const stop = async (): Promise<void> => {
    await run('infra/services', ['stop'], { env });
    await rm(folder, { recursive: true });
  };
  try {
    await run('infra/services', ['start'], { env });
  } catch (error) {
    await stop();
    throw error;
  }
  provide('kafka', `127.0.0.1:${kafka}`);
  provide('registry', `http://127.0.0.1:${registry}/apis/ccompat/v7`);
  return stop;
}

/** Ports that nobody listens on, held all at once, so that they differ. */
async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  const ports = await Promise.all(
    servers.map(
      (server) =>
        new Promise<number>((resolve) => {
          server.listen(0, '127.0.0.1', () => {
            const address = server.address();
            resolve(typeof address === 'object' && address !== null ? address.port : 0);
          });
        }),
    ),
  );
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
