import { sizeKey } from '../config/key.ts';
import { parsedAs } from './parsed-as.ts';

/** The value of a flag as bytes: `64KB`, `256MB`. */
export function sizeFlag(name: string, bounds: { min: string; max: string; preset: string }): (text: string) => number {
  return parsedAs(sizeKey({ name, doc: '', default: bounds.preset, min: bounds.min, max: bounds.max }));
}
