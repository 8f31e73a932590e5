import type { Tokenizer } from '../../processors/model/tokenizer.ts';
import type { Random } from '../../src/simulate/random.ts';

export interface SplitIds {
  readonly ids: readonly number[];
  /** First place that is not as the encoder writes it. */
  readonly index: number;
}

/** A sampled sequence that says the same and that no encoder writes; null: none of the places that were tried can be split. */
export type Splitter = (ids: readonly number[], random: Random) => SplitIds | null;

const MOST_TRIES = 40;

/** Splits an ordinary token into two others of the vocabulary. */
export function createSplitter(tokenizer: Tokenizer): Splitter {
  const byBytes = new Map<string, number>();
  const bytes: string[] = [];
  for (let id = 0; id < tokenizer.size; id++) {
    if (!tokenizer.has(id) || tokenizer.added.has(id)) continue;
    const text = Buffer.from(tokenizer.decode(Uint32Array.of(id), 0, 1)).toString('latin1');
    bytes[id] = text;
    byBytes.set(text, id);
  }
  return (ids, random) => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const index = random.whole(0, ids.length - 1);
      const text = bytes[ids[index] ?? -1] ?? '';
      if (text.length < 2) continue;
      const cut = random.whole(1, text.length - 1);
      const [left, right] = [byBytes.get(text.slice(0, cut)), byBytes.get(text.slice(cut))];
      if (left === undefined || right === undefined) continue;
      return { ids: [...ids.slice(0, index), left, right, ...ids.slice(index + 1)], index };
    }
    return null;
  };
}
