/** The later one is older, as far as names tell: of two that are not whole numbers nothing is known. */
export function isBackwards(before: string, after: string): boolean {
  if (before === after) return false;
  return WHOLE.test(before) && WHOLE.test(after) && Number(after) < Number(before);
}

const WHOLE = /^(?:0|[1-9]\d{0,14})$/;
