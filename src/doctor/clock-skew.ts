import { CheckFault } from './check.ts';

/** Deadlines are compared with the clock of the broker while records come, and with that of the worker when none do. */
const LIMIT_MS = 2_000;

/** Throws a fault where the other clock differs by more than the asking itself explains. */
export async function clockSkew(now: () => number, ask: () => Promise<number>): Promise<string> {
  const before = now();
  const theirs = await ask();
  const after = now();
  const skew = theirs > after ? theirs - after : Math.min(0, theirs - before);
  const text = `${skew === 0 ? 'no difference' : `${skew} ms apart`}, measured within ${after - before} ms`;
  if (Math.abs(skew) <= LIMIT_MS) return text;
  throw new CheckFault(
    text,
    'let NTP set both clocks (chrony, systemd-timesyncd): deadlines pass too early or too late',
  );
}
