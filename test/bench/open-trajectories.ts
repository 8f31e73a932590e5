import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Bench } from './bench.ts';
import { spreadOf } from './spread.ts';

const run = promisify(execFile);
const OVERHEAD_BYTES = 2048;

interface Measured {
  readonly trajectories: number;
  /** Ids and logprobs that they hold. */
  readonly packedBytes: number;
  readonly heapBytes: number;
  readonly bufferBytes: number;
  readonly residentBytes: number;
}

/** Memory of trajectories that are open at once, in a process of its own: what heap and buffers hold after a collection. */
export const openTrajectories: Bench = {
  name: 'memory',
  async run(size) {
    const child = fileURLToPath(import.meta.url).replace(/\.([jt]s)$/, '.child.$1');
    const count = size === 'full' ? '100000' : '200';
    const loader = child.endsWith('.ts') ? ['--import', new URL('../run-typescript.mjs', import.meta.url).href] : [];
    const { stdout } = await run(process.execPath, ['--expose-gc', ...loader, child, count]);
    const { trajectories, packedBytes, heapBytes, bufferBytes, residentBytes }: Measured = JSON.parse(stdout);
    const each = (heapBytes + bufferBytes) / trajectories;
    const packed = packedBytes / trajectories;
    const limit = 1.25 * packed + OVERHEAD_BYTES;
    return [
      {
        name: `open trajectories: ${trajectories}`,
        value: spreadOf([each]),
        unit: 'bytes each',
        yardstick: { name: 'packed tokens', value: spreadOf([packed]) },
        ratio: each / packed,
        target: { text: `≤ 1.25 × packed + 2 KB = ${Math.round(limit)}`, met: each <= limit },
        notes: [
          `${Math.round(heapBytes / trajectories)} of heap, ${Math.round(bufferBytes / trajectories)} of buffers; resident: ${Math.round(residentBytes / trajectories)}`,
        ],
      },
    ];
  },
};
