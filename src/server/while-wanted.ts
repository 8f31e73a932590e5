import { RollstreamError } from '../errors.ts';

/**
 * Runs a long poll with a signal that gives it up: null once the client has gone away, since nobody reads the answer; RS_INTERRUPTED
 * when the server closes. Whatever it was given meanwhile is answered when the same is asked again. Nothing stays on `closing`,
 * which lives as long as the server (AbortSignal.any would leave a reference on it for each request).
 */
export async function whileWanted<Answer>(
  client: AbortSignal,
  closing: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Answer | null>,
): Promise<Answer | null> {
  const over = new AbortController();
  const stop = (): void => over.abort();
  const given = new Promise<null>((resolve) => {
    over.signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  for (const end of [client, closing]) {
    end.addEventListener('abort', stop, { once: true });
    if (end.aborted) stop();
  }
  try {
    const answer = await Promise.race([ask(over.signal), given]);
    if (answer === null && closing.aborted)
      throw new RollstreamError('RS_INTERRUPTED', 'the server is closing: ask the same again');
    return answer;
  } finally {
    for (const end of [client, closing]) end.removeEventListener('abort', stop);
  }
}
