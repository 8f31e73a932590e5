import { InvalidArgumentError } from 'commander';

/** The value of a flag: a whole number from 0 on. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('a whole number is needed');
  return Number(text);
}

export function wholeNumberFrom1(text: string): number {
  if (wholeNumber(text) < 1) throw new InvalidArgumentError('a whole number from 1 on is needed');
  return Number(text);
}
