import { balanceProblem } from './books.ts';
import type { Random } from './random.ts';
import type { Call } from './scheduler.ts';
import type { World } from './simulated-ports.ts';

const FAULT_CHANCE = 0.03;

/** A call takes effect or, where calls may fail, sometimes fails; answers whether it did. The books balance after each insert. */
export function answerCall({ store }: World, call: Call, random: Random, mayFail: boolean): 'answered' | 'failed' {
  const fails = mayFail && !call.caller.dead && call.fail !== null && random.chance(FAULT_CHANCE);
  if (fails) call.fail?.(random.chance(0.5));
  else call.answer();
  const problem = call.what.startsWith('insert') ? balanceProblem(store) : null;
  if (problem !== null) throw new Error(`accounting, under way: ${problem}`);
  return fails ? 'failed' : 'answered';
}
