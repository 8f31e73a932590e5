import { durationKey } from '../config/key.ts';
import { parsedAs } from './parsed-as.ts';

/** The value of a flag as milliseconds: `500ms`, `2s`, `10m`. */
export function durationFlag(
  name: string,
  bounds: { min: string; max: string; preset: string },
): (text: string) => number {
  return parsedAs(durationKey({ name, doc: '', default: bounds.preset, min: bounds.min, max: bounds.max }));
}
