import type { DeepInput } from '../../model/deep-input.ts';
import type { Tokenizer } from '../../model/tokenizer.ts';

/** Why ids cannot be looked at with this tokenizer. Another one gives another text: it is refused, never measured. */
export function refusalOf({ tokenizerSha256, segments }: DeepInput, { sha256 }: Tokenizer): string | null {
  if (tokenizerSha256 !== null && tokenizerSha256 !== sha256)
    return `the tokenizer of the record: it is ${tokenizerSha256}, this one is ${sha256}`;
  if (segments.every(({ ranges }) => ranges.length === 0)) return 'no token ids';
  return null;
}
