const KEPT: ReadonlySet<string> = new Set(['train', 'train_masked', 'penalise']);

/** An attempt of this disposition goes to the trainer, if only with an empty loss mask; any other does not. */
export function isKept(disposition: string): boolean {
  return KEPT.has(disposition);
}
