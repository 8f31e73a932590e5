/**
 * Works on one item after the other, so many at once. What fails ends it: no other is begun, those in flight are waited for, and the
 * first failure is thrown.
 */
export async function eachInFlight<T>(
  items: Iterable<T>,
  most: number,
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const failures: unknown[] = [];
  for (const item of items) {
    while (running.size >= most) await Promise.race(running);
    if (failures.length > 0 || signal.aborted) break;
    const one: Promise<void> = work(item)
      .catch((error: unknown) => {
        failures.push(error);
      })
      .finally(() => running.delete(one));
    running.add(one);
  }
  await Promise.all(running);
  if (failures.length > 0) throw failures[0];
  signal.throwIfAborted();
}
