import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { listen } from '../../../src/server/listen.ts';

const hello = () => new Response('hello');

it('takes the next free port when none was asked for and 8080 is taken', async () => {
  const first = await listen('127.0.0.1', null, hello);
  const second = await listen('127.0.0.1', null, hello);
  expect(await (await fetch(second.url)).text()).toBe('hello');
  expect(second.url).not.toBe(first.url);
  await Promise.all([first.close(0), second.close(0)]);
});

it('takes the port that was asked for or none', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve);
  });
  const address = taken.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  await expect(listen('127.0.0.1', port, hello)).rejects.toThrow(
    expect.objectContaining({ code: 'RS_CONFIG', message: expect.stringContaining(`${port}: the port is taken`) }),
  );
  await new Promise((resolve) => {
    taken.close(resolve);
  });
});

it('closes with a request that never ends, after the grace', async () => {
  const listener = await listen('127.0.0.1', 0, () => new Promise<Response>(() => {}));
  const request = fetch(listener.url).then(
    () => 'answered',
    () => 'cut',
  );
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  await listener.close(10);
  expect(await request).toBe('cut');
});
