import { setTimeout as sleep } from 'node:timers/promises';

/** What is still under way of a body that was not read to its end is read past, up to here: a client hears why only once it has sent it. */
const PAST = { bytes: 64 * 1024 * 1024, ms: 1_000 };

/** Whether the rest of a body is through, so that its connection can serve another request. */
export async function isReadPast(body: ReadableStream<Uint8Array>): Promise<boolean> {
  // Somebody still waits for a chunk of it.
  if (body.locked) return false;
  const over = new AbortController();
  const late = sleep(PAST.ms, null, { signal: over.signal }).catch(() => null);
  const reader = body.getReader();
  try {
    for (let left = PAST.bytes; left > 0; ) {
      const next = await Promise.race([reader.read(), late]);
      if (next === null) return false;
      if (next.done) return true;
      left -= next.value.length;
    }
    return false;
  } catch {
    // Nobody is there any more.
    return false;
  } finally {
    over.abort();
  }
}
