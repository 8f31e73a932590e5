import type { Random } from '../../examples/generate/random.ts';
import { startProgram } from './program.ts';

export interface Kill {
  /** ms after the start of the process. */
  readonly atMs: number;
  /** False: the import had ended before. */
  readonly hit: boolean;
}

/**
 * Starts the same import again and again and kills it with SIGKILL, at moments spread evenly over the time that one takes.
 * Throws when one ends by itself with anything but 0.
 */
export async function killImports(
  args: readonly string[],
  kills: number,
  durationMs: number,
  random: Random,
  tell: (kill: Kill) => void,
): Promise<void> {
  for (let n = 0; n < kills; n++) {
    const atMs = Math.round(random() * durationMs);
    const { child, ended } = startProgram(args);
    const timer = setTimeout(() => child.kill('SIGKILL'), atMs);
    const { code, signal, stderr } = await ended;
    clearTimeout(timer);
    tell({ atMs, hit: signal === 'SIGKILL' });
    if (signal !== 'SIGKILL' && code !== 0) throw new Error(`the import ended with ${code}:\n${stderr}`);
  }
}
