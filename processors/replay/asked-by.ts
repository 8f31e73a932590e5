import type { Verdict } from '../../schemas/generated/step-event.ts';

/** Who said it, and about what, whatever the version: what a new verdict takes the place of. */
export function askedBy({ scorer, bound_to }: Pick<Verdict, 'scorer' | 'bound_to'>): string {
  return `${bound_to ?? ''}\u0000${scorer}`;
}
