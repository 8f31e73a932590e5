const NUMBER = String.raw`[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+|(?<=\d)\.?)(?:[eE][-+]?\d+)?`;
const FRACTION = new RegExp(String.raw`(?<![\w.])(${NUMBER})(?:\s*/\s*(${NUMBER}))?(?![\d])`, 'g');

/** What stands in the last \boxed{…} of a text, else the last number in it, a fraction as its quotient; null: there is none. */
export function numericValue(text: string): number | null {
  const boxed = [...text.matchAll(/\\boxed\{([^{}]*)\}/g)].at(-1)?.[1];
  const plain = (boxed ?? text).replaceAll('\u2212', '-');
  const [, whole = '', divisor] = [...plain.matchAll(FRACTION)].at(-1) ?? [];
  if (whole === '') return null;
  const value = numberOf(whole) / (divisor === undefined ? 1 : numberOf(divisor));
  return Number.isFinite(value) ? value : null;
}

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''));
}
