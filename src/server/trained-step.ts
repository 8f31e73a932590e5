import { bad, isWhole } from './request-value.ts';

/**
 * The optimizer step that trained something. STEPS COUNT FROM 1. 1 A batch is acked with step 0; 2 step 0 is what the run began
 * with, so that no rewind goes behind it; 3 the batch is final at once, and no restored checkpoint holds it.
 */
export function trainedStepOf(value: Record<string, unknown>, field = 'step'): number {
  const { step } = value;
  if (isWhole(step, 1, Number.MAX_SAFE_INTEGER)) return step;
  if (step === 0) throw bad(field, `${field}: steps count from 1; 0 is what the run began with`);
  throw bad(field, `${field}: a whole number from 1 to ${Number.MAX_SAFE_INTEGER} is needed`);
}
