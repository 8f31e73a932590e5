import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { freePorts } from './free-ports.ts';

interface Services {
  /** host:port. */
  readonly kafka: string;
  /** Whoever connects through the proxy is told to stay there: the broker listens on `to`, and sends clients to `advertised`. */
  readonly proxied: { readonly to: number; readonly advertised: number };
  /** Asks for SASL (plain, scram-sha-256): user alice, password correct. */
  readonly secured: string;
  /** Speaks TLS, by a certificate of its own. */
  readonly tls: { readonly broker: string; readonly ca: string };
  readonly registry: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    services: Services;
  }
}

const run = promisify(execFile);

/**
 * Starts Kafka and the registry on free ports, and stops them after the last test. With ROLLSTREAM_TEST_SERVICES, a folder, they are
 * left running there for the next time; `ROLLSTREAM_SERVICES_DIR=folder infra/services stop` ends them.
 */
export default async function services({ provide }: TestProject): Promise<() => Promise<void>> {
  const kept = process.env.ROLLSTREAM_TEST_SERVICES;
  // Not a key of the program that tests start.
  delete process.env.ROLLSTREAM_TEST_SERVICES;
  const folder = kept ?? (await mkdtemp(join(tmpdir(), 'rollstream-services-')));
  const description = join(folder, 'services.json');
  if (existsSync(description)) {
    provide('services', JSON.parse(await readFile(description, 'utf8')));
    return async () => undefined;
  }
  await mkdir(folder, { recursive: true });
  const env = { ...process.env, ROLLSTREAM_SERVICES_DIR: folder };
  const stop = async (): Promise<void> => {
    await run('infra/services', ['stop'], { env });
    await rm(folder, { recursive: true });
  };
  try {
    const started = await start(folder, env);
    provide('services', started);
    if (kept === undefined) return stop;
    await writeFile(description, JSON.stringify(started));
    return async () => undefined;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(folder: string, env: NodeJS.ProcessEnv): Promise<Services> {
  const [kafka = 0, controller = 0, to = 0, advertised = 0, secured = 0, tls = 0, registry = 0] = await freePorts(7);
  const keys = join(folder, 'keys.p12');
  const store = ['-keystore', keys, '-storetype', 'PKCS12', '-storepass', 'changeit', '-alias', 'broker'];
  const subject = ['-dname', 'CN=127.0.0.1', '-ext', 'SAN=ip:127.0.0.1', '-keyalg', 'EC', '-validity', '2'];
  await run('keytool', ['-genkeypair', ...store, ...subject]);
  const { stdout: ca } = await run('keytool', ['-exportcert', '-rfc', ...store]);
  const properties = join(folder, 'test.properties');
  await writeFile(
    properties,
    `listeners=PLAINTEXT://127.0.0.1:${kafka},CONTROLLER://127.0.0.1:${controller},PROXIED://127.0.0.1:${to},SECURED://127.0.0.1:${secured},TLS://127.0.0.1:${tls}
advertised.listeners=PLAINTEXT://127.0.0.1:${kafka},PROXIED://127.0.0.1:${advertised},SECURED://127.0.0.1:${secured},TLS://127.0.0.1:${tls}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,PROXIED:PLAINTEXT,SECURED:SASL_PLAINTEXT,TLS:SSL
inter.broker.listener.name=PLAINTEXT
listener.name.secured.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256
listener.name.secured.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_alice="correct";
listener.name.secured.scram-sha-256.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
listener.name.tls.ssl.keystore.location=${keys}
listener.name.tls.ssl.keystore.type=PKCS12
listener.name.tls.ssl.keystore.password=changeit
listener.name.tls.ssl.key.password=changeit
`,
  );
  await run('infra/services', ['start'], {
    env: {
      ...env,
      ROLLSTREAM_KAFKA_PORT: `${kafka}`,
      ROLLSTREAM_KAFKA_CONTROLLER_PORT: `${controller}`,
      ROLLSTREAM_KAFKA_PROPERTIES: properties,
      ROLLSTREAM_KAFKA_SCRAM: 'SCRAM-SHA-256=[name=alice,password=correct]',
      ROLLSTREAM_REGISTRY_PORT: `${registry}`,
    },
  });
  return {
    kafka: `127.0.0.1:${kafka}`,
    proxied: { to, advertised },
    secured: `127.0.0.1:${secured}`,
    tls: { broker: `127.0.0.1:${tls}`, ca },
    registry: `http://127.0.0.1:${registry}/apis/ccompat/v7`,
  };
}
