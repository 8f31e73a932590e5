import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** host:port. */
    kafka: string;
    /** Whoever connects through the proxy is told to stay there: the broker listens on `to`, and sends clients to `advertised`. */
    proxied: { readonly to: number; readonly advertised: number };
    /** Asks for SASL PLAIN: user alice, password correct. */
    secured: string;
    registry: string;
  }
}

const run = promisify(execFile);

/**
 * Starts Kafka and the registry on free ports, and stops them after the last test. ROLLSTREAM_TEST_PORTS names the five ports of
 * services that run already, in the order of `names`; they are left running.
 */
export default async function services({ provide }: TestProject): Promise<() => Promise<void>> {
  const running = process.env.ROLLSTREAM_TEST_PORTS?.split(',').map(Number);
  const [kafka = 0, to = 0, advertised = 0, secured = 0, registry = 0, controller = 0] =
    running ?? (await freePorts(6));
  provide('kafka', `127.0.0.1:${kafka}`);
  provide('proxied', { to, advertised });
  provide('secured', `127.0.0.1:${secured}`);
  provide('registry', `http://127.0.0.1:${registry}/apis/ccompat/v7`);
  if (running !== undefined) return async () => undefined;

  const folder = await mkdtemp(join(tmpdir(), 'rollstream-services-'));
  const properties = join(folder, 'test.properties');
  await writeFile(
    properties,
    `listeners=PLAINTEXT://127.0.0.1:${kafka},CONTROLLER://127.0.0.1:${controller},PROXIED://127.0.0.1:${to},SECURED://127.0.0.1:${secured}
advertised.listeners=PLAINTEXT://127.0.0.1:${kafka},PROXIED://127.0.0.1:${advertised},SECURED://127.0.0.1:${secured}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT,SECURED:SASL_PLAINTEXT
inter.broker.listener.name=PLAINTEXT
listener.name.secured.sasl.enabled.mechanisms=PLAIN
listener.name.secured.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="correct";
`,
  );
  const env = {
    ...process.env,
    ROLLSTREAM_SERVICES_DIR: folder,
    ROLLSTREAM_KAFKA_PORT: `${kafka}`,
    ROLLSTREAM_KAFKA_CONTROLLER_PORT: `${controller}`,
    ROLLSTREAM_KAFKA_PROPERTIES: properties,
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
