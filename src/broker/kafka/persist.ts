import { isPassing, typeOf } from './to-broker-error.ts';

const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 200;

/**
 * Does `work` until it succeeds, fails for good or `deadline` (of performance.now) has passed. Waits are short: the coordinator of a
 * transaction answers CONCURRENT_TRANSACTIONS for milliseconds after each commit, and kafkajs would wait 300.
 */
export async function persist<T>(
  deadline: number,
  work: () => Promise<T>,
  onFailure: (error: unknown) => void = () => undefined,
): Promise<T> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      return await work();
    } catch (error) {
      onFailure(error);
      if (!isPassing(error) || performance.now() >= deadline) throw error;
      if (typeOf(error) === 'CONCURRENT_TRANSACTIONS') waitMs = FIRST_WAIT_MS;
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
