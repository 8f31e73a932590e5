import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { openConfluentRegistry } from '../../../../src/registry/confluent/open-confluent-registry.ts';
import { createRegistryHttp } from '../../../../src/registry/confluent/registry-http.ts';

let server: Server | null = null;
afterEach(async () => {
  await new Promise((resolve) => (server === null ? resolve(null) : server.close(resolve)));
  server = null;
});

async function answering(status: number, body: string): Promise<string> {
  const own = createServer((_, response) => response.writeHead(status, { connection: 'close' }).end(body));
  server = own;
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
  const address = own.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/registry`;
}

describe('an id is unknown only if the registry says so', () => {
  it.each([
    [503, '{"error_code":50301,"message":"busy"}', 'RS_REGISTRY_UNREACHABLE'],
    [500, 'oops', 'RS_REGISTRY_UNREACHABLE'],
    [429, '', 'RS_REGISTRY_UNREACHABLE'],
    [401, '', 'RS_CONFIG'],
    [403, '{"error_code":40301}', 'RS_CONFIG'],
    [404, '<html>no such page</html>', 'RS_CONFIG'],
    [404, '{"status":404}', 'RS_CONFIG'],
    [302, '', 'RS_CONFIG'],
    [400, '{"error_code":40001,"message":"bad"}', 'RS_CONFIG'],
  ])('status %i with %s is an error', async (status, body, code) => {
    const registry = openConfluentRegistry({ url: await answering(status, body) });
    await expect(registry.schemaOf(1)).rejects.toMatchObject({ code });
  });

  it('code 40403 is null', async () => {
    const registry = openConfluentRegistry({
      url: await answering(404, '{"error_code":40403,"message":"Schema not found"}'),
    });
    expect(await registry.schemaOf(1)).toBeNull();
  });

  it('a schema that is not Avro is null too: nothing here can read it', async () => {
    const registry = openConfluentRegistry({
      url: await answering(200, '{"schemaType":"PROTOBUF","schema":"syntax = \\"proto3\\";"}'),
    });
    expect(await registry.schemaOf(1)).toBeNull();
  });
});

it('a registry that is not there is an outage', async () => {
  const url = await answering(200, '');
  await new Promise((resolve) => server?.close(resolve));
  server = null;
  await expect(openConfluentRegistry({ url }).schemaOf(1)).rejects.toMatchObject({ code: 'RS_REGISTRY_UNREACHABLE' });
});

it('an id is asked for once', async () => {
  let asked = 0;
  const own = createServer((_, response) => {
    asked++;
    response.end('{"schema":"\\"string\\""}');
  });
  server = own;
  await new Promise<void>((resolve) => own.listen(0, '127.0.0.1', resolve));
  const address = own.address();
  const registry = openConfluentRegistry({
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
  });
  expect(await registry.schemaOf(5)).toBe('string');
  expect(await registry.schemaOf(5)).toBe('string');
  expect(asked).toBe(1);
  own.closeAllConnections();
});

it.each(['localhost:8081', 'ftp://x', ''])('%j is no address of a registry', (url) => {
  expect(() => createRegistryHttp({ url })).toThrow(expect.objectContaining({ code: 'RS_CONFIG' }));
});
