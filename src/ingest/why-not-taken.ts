import { looksKnown, SIGHT_BYTES, whatItIs } from './foreign-formats.ts';
import type { ReadLine } from './open-document.ts';

export interface NotTaken {
  /** What the file is instead, and what is wrong with it. */
  readonly why: string;
  /**
   * It should be a file of a known format: it is JSON that looks like one, and torn or otherwise malformed. That is a refusal
   * wherever it lies: passed over, it would be a rollout that nobody misses.
   */
  readonly isBroken: boolean;
}

/** What a file is that no importer knows. `head`: what was read of it to tell; `bytes`: how it begins. */
export function whyNotTaken(head: readonly ReadLine[], bytes: Buffer, isDocument = false): NotTaken {
  const sight = bytes.subarray(0, SIGHT_BYTES);
  const [refused] = head.flatMap(({ record }) => ('refused' in record ? [record.refused.message] : []));
  // What is too large was not kept: nobody knows what a line of it is, but a document that is JSON may be anybody's.
  if (refused !== undefined && head.at(-1)?.line.bytes === null) return { why: refused, isBroken: isDocument };
  const isBroken = refused !== undefined && looksKnown(sight);
  return { why: isBroken ? `${whatItIs(sight)}: ${refused}` : whatItIs(sight), isBroken };
}
