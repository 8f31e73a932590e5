import { InvalidArgumentError } from 'commander';
import { durationKey, KeyFault } from '../config/key.ts';

/** The value of a flag as milliseconds: `500ms`, `2s`, `10m`. */
export function durationFlag(name: string, bounds: { min: string; max: string; preset: string }) {
  const key = durationKey({ name, doc: '', default: bounds.preset, min: bounds.min, max: bounds.max });
  return function duration(text: string): number {
    const value = key.parse(text, true);
    if (value instanceof KeyFault) throw new InvalidArgumentError(`${key.allowed} is needed`);
    return value;
  };
}
