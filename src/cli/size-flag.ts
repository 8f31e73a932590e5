import { InvalidArgumentError } from 'commander';
import { KeyFault, sizeKey } from '../config/key.ts';

/** The value of a flag as bytes: `64KB`, `256MB`. */
export function sizeFlag(name: string, bounds: { min: string; max: string; preset: string }) {
  const key = sizeKey({ name, doc: '', default: bounds.preset, min: bounds.min, max: bounds.max });
  return function size(text: string): number {
    const value = key.parse(text, true);
    if (value instanceof KeyFault) throw new InvalidArgumentError(`${key.allowed} is needed`);
    return value;
  };
}
