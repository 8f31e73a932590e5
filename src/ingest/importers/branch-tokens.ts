/**
 * The tokens of a tree's branches, one after another, as an assembler holds them: what a branch shares with the one before it
 * is not sent again. The same token counts as shared only where both or neither of the two were sampled.
 */
export interface BranchTokens {
  /** Tokens of the branch as far as it was followed. */
  readonly length: number;
  /** Goes back to where the branch had so many tokens: another branch leaves it there. */
  backTo(length: number): void;
  /** Tokens that were not sampled, little-endian uint32. */
  prompt(ids: Buffer): void;
  /** A call samples tokens after all that went before: what of its prompt is new, and how much is held. */
  sample(ids: Buffer): { readonly prefix: number; readonly delta: Buffer };
}

const FIRST_TOKENS = 1024;

export function createBranchTokens(): BranchTokens {
  let ids = new Uint32Array(FIRST_TOKENS);
  let sampled = new Uint8Array(FIRST_TOKENS);
  let length = 0;
  /** Tokens of the last call and its prompt; those up to `common` are this branch's, too. */
  let held = 0;
  let common = 0;

  function append(bytes: Buffer, flag: 0 | 1): void {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    const end = length + words.length;
    if (end > ids.length) grow(end);
    for (let i = 0; common === length + i && common < held && i < words.length; i++) {
      if (ids[common] !== words[i] || sampled[common] !== flag) break;
      common++;
    }
    ids.set(words, length);
    sampled.fill(flag, length, end);
    length = end;
  }

  function grow(least: number): void {
    const size = Math.max(least, ids.length * 2);
    const moreIds = new Uint32Array(size);
    const moreSampled = new Uint8Array(size);
    moreIds.set(ids);
    moreSampled.set(sampled);
    ids = moreIds;
    sampled = moreSampled;
  }

  return {
    get length() {
      return length;
    },
    backTo(to) {
      length = Math.min(length, to);
      common = Math.min(common, length);
    },
    prompt: (bytes) => append(bytes, 0),
    sample(bytes) {
      const prefix = common;
      const delta = Buffer.from(ids.slice(prefix, length).buffer);
      append(bytes, 1);
      held = length;
      common = length;
      return { prefix, delta };
    },
  };
}
