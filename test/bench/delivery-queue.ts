import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Figure, Size } from './bench.ts';
import { spreadOf } from './spread.ts';

const SIZES = { full: { counts: [10_000, 1_000_000], leases: 150 }, smoke: { counts: [1_000, 2_000], leases: 15 } };
/** A lease from the long queue may take so many times one from the short. */
const MOST_RATIO = 3;
/** A queued entry. */
const MOST_BYTES = 512;

interface Queued {
  readonly bytesEach: number;
  readonly indexedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The one that grants, without log and network: whether a lease depends on how many wait behind it. */
export async function queueFigures(size: Size): Promise<Figure[]> {
  const { counts, leases } = SIZES[size];
  const [short = 0, long = 0] = counts;
  const [few, many, singles] = [
    await queued(short, 8, leases),
    await queued(long, 8, leases),
    await queued(long, 1, leases),
  ];
  const micros = (one: Queued) => spreadOf([1000 * one.p50Ms]);
  const ratio = many.p50Ms / few.p50Ms;
  return [
    {
      ...{ name: `delivery: a lease, ${long.toLocaleString('en')} queued`, value: micros(many), unit: 'µs' },
      ...{ yardstick: { name: `${short.toLocaleString('en')} queued`, value: micros(few) }, ratio },
      target: { text: `≤ ${MOST_RATIO} × the short queue`, met: ratio <= MOST_RATIO },
      notes: [
        `p99: ${(1000 * many.p99Ms).toFixed(0)} and ${(1000 * few.p99Ms).toFixed(0)} µs; of 8 groups of 8; one by one 8 take ${(1000 * singles.p50Ms).toFixed(0)}`,
      ],
    },
    {
      ...{ name: 'delivery: a queued trajectory', value: spreadOf([many.bytesEach]), unit: 'bytes' },
      target: { text: `≤ ${MOST_BYTES}`, met: Math.max(many.bytesEach, singles.bytesEach) <= MOST_BYTES },
      notes: [
        `in groups of 8; one by one ${singles.bytesEach.toFixed(0)}; to index ${long.toLocaleString('en')} took ${(many.indexedMs / 1000).toFixed(1)} s`,
      ],
    },
  ];
}

async function queued(count: number, members: number, leases: number): Promise<Queued> {
  const isCompiled = import.meta.url.endsWith('.js');
  const name = isCompiled ? 'delivery-queue.child.js' : 'delivery-queue.child.ts';
  const loader = isCompiled ? [] : ['--import', new URL('../run-typescript.mjs', import.meta.url).href];
  const child = fileURLToPath(new URL(name, import.meta.url));
  const args = ['--expose-gc', '--max-old-space-size=2048', ...loader, child, ...[count, members, leases].map(String)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}
