import { type Command, InvalidArgumentError } from 'commander';
import type { Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';

const EXAMPLE = `
The lanes of this program against a log, a store and a clock in memory, driven by a seed: processes die, hang, are fenced and
started again under other policies, services fail in the middle of a write. Afterwards everything that left must be what a run
without faults gives, once each, and the books must balance. Touches no data. Exit code 1 when something does not hold; the seed
of a failed round repeats it.

Example:
  $ rollstream simulate --seed 7 --crashes 1000`;

export function addSimulate(program: Command, run: Run): void {
  const command = program
    .command('simulate')
    .description('kills the pipeline in memory, again and again, and checks what is left')
    .option('--seed <name>', 'what decides the run', '1')
    .option('--crashes <n>', 'goes on until so many crashes have happened', wholeNumber, 100)
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((flags: GlobalFlags & { seed: string; crashes: number }) =>
    run(flags, async (context) => {
      const { simulateRounds } = await import('../../simulate/simulate-rounds.ts');
      const { seed, crashes } = flags;
      const result = await simulateRounds({ seed, crashes }, ({ failure }) => {
        if (failure !== null) context.warn(failure);
      });
      const { failures, ...counts } = result;
      if (context.flags.json === true) await context.out.write(`${JSON.stringify({ seed, ...counts, failures })}\n`);
      else {
        const verdict = failures.length === 0 ? context.paint('green', 'all holds') : context.paint('red', 'broken');
        const { rounds, faults, steps } = counts;
        await context.out.write(
          `${verdict}  seed ${seed}: ${rounds} rounds, ${counts.crashes} crashes, ${faults} failed calls, ${steps} steps; ${failures.length} rounds broken\n`,
        );
      }
      return failures.length === 0 ? 0 : 1;
    }),
  );
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('a whole number from 1 on');
  return number;
}
