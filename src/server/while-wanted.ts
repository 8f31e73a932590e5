import { RollstreamError } from '../errors.ts';

/** Waits for an answer with a signal that gives it up. */
export type WhileWanted = <Answer>(
  client: AbortSignal,
  ask: (signal: AbortSignal) => Promise<Answer | null>,
) => Promise<Answer | null>;

/**
 * Long polls end with null once the client has gone away, since nobody reads the answer, and with RS_INTERRUPTED when the server
 * closes. Whatever they were given meanwhile is answered when the same is asked again. `closing` lives as long as the server: it
 * gets one listener for all of them (AbortSignal.any would leave something on it for each).
 */
export function createWhileWanted(closing: AbortSignal): WhileWanted {
  const stops = new Set<() => void>();
  closing.addEventListener('abort', () => {
    for (const stop of stops) stop();
  });

  return async function whileWanted(client, ask) {
    const over = new AbortController();
    const stop = (): void => over.abort();
    const given = new Promise<null>((resolve) => {
      over.signal.addEventListener('abort', () => resolve(null), { once: true });
    });
    stops.add(stop);
    client.addEventListener('abort', stop, { once: true });
    if (client.aborted || closing.aborted) stop();
    try {
      const answer = await Promise.race([ask(over.signal), given]);
      if (answer === null && closing.aborted)
        throw new RollstreamError('RS_INTERRUPTED', 'the server is closing: ask the same again');
      return answer;
    } finally {
      stops.delete(stop);
      client.removeEventListener('abort', stop);
    }
  };
}
