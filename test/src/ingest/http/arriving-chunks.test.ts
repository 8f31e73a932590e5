import { expect, it } from 'vitest';
import { arrivingChunks } from '../../../../src/ingest/http/arriving-chunks.ts';

async function* of(chunks: Iterable<string>, then: () => Promise<void> = async () => undefined) {
  for (const chunk of chunks) yield Buffer.from(chunk);
  await then();
}

async function read(chunks: AsyncIterable<Uint8Array>): Promise<{ sizes: number[]; text: string; error: unknown }> {
  const sizes: number[] = [];
  let text = '';
  let error: unknown = null;
  try {
    for await (const chunk of chunks) {
      sizes.push(chunk.length);
      text += Buffer.from(chunk).toString();
    }
  } catch (thrown) {
    error = thrown;
  }
  return { sizes, text, error };
}

it('chunks of a byte come together, in order, and large ones as they are', async () => {
  const { sizes, text, error } = await read(arrivingChunks(of([...'ab'.repeat(1_030), 'c'.repeat(5_000), 'd'])));
  expect({ sizes, error }).toEqual({ sizes: [1_024, 1_024, 12, 5_000, 1], error: null });
  expect(text).toBe(`${'ab'.repeat(1_030)}${'c'.repeat(5_000)}d`);
});

it('what came before a connection breaks is given first', async () => {
  const broken = new Error('socket hang up');
  const chunks = arrivingChunks(of(['a', 'b'], () => Promise.reject(broken)));
  expect(await read(chunks)).toEqual({ sizes: [2], text: 'ab', error: broken });
});

it('a client that sends no more is given up with 408, and what it sent is given first', async () => {
  const chunks = arrivingChunks(
    of(['a', 'b'], () => new Promise(() => undefined)),
    5,
  );
  const { text, error } = await read(chunks);
  expect(text).toBe('ab');
  expect(error).toMatchObject({ code: 'RS_BODY_STALLED', status: 408, retriable: true });
});

it('how long a chunk is worked on does not count', async () => {
  const chunks = arrivingChunks(of(['a'.repeat(5_000), 'b'.repeat(5_000)]), 5);
  let seen = 0;
  for await (const chunk of chunks) {
    seen += chunk.length;
    // Longer than the time that is given, and no moment less: the timer has fired when it is over.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(seen).toBe(10_000);
});
