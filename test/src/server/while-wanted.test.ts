import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { createWhileWanted } from '../../../src/server/while-wanted.ts';

const never = () => new Promise<never>(() => {});
const parts = () => {
  const [client, closing] = [new AbortController(), new AbortController()];
  return { client, closing, whileWanted: createWhileWanted(closing.signal) };
};

it('answers what was found, and leaves nothing behind', async () => {
  const { client, closing, whileWanted } = parts();
  for (let request = 0; request < 20; request += 1)
    expect(await whileWanted(client.signal, async () => request)).toBe(request);
  await expect(whileWanted(client.signal, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(getEventListeners(closing.signal, 'abort')).toHaveLength(1);
  expect(getEventListeners(client.signal, 'abort')).toEqual([]);
});

it('ends when the client goes away, and tells the one that was asked', async () => {
  const { client, whileWanted } = parts();
  let given: AbortSignal | undefined;
  const answer = whileWanted(client.signal, (signal) => {
    given = signal;
    return never();
  });
  expect(given?.aborted).toBe(false);
  client.abort();
  expect(await answer).toBeNull();
  expect(given?.aborted).toBe(true);
});

it('when the server closes says to ask the same again, and never "not enough": that would be the answer of every rank', async () => {
  const { client, closing, whileWanted } = parts();
  const answer = whileWanted(client.signal, never);
  closing.abort();
  await expect(answer).rejects.toMatchObject({ code: 'RS_INTERRUPTED', retriable: true });
  await expect(whileWanted(client.signal, async () => null)).rejects.toMatchObject({
    code: 'RS_INTERRUPTED',
  });
  // What was granted in that moment is told.
  expect(await whileWanted(client.signal, async () => 'a batch')).toBe('a batch');
});
