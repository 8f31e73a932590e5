import { bytesOfToken } from '../../../processors/tokenize/byte-alphabet.ts';

/** Bytes of a token of the vocabulary, wherever it stands in a text. */
export type TokenBytesOf = (token: string) => Uint8Array;

type Step = (text: string) => string | Uint8Array;

/**
 * As the decoder of a tokenizer.json makes text of a token: byte-level alphabets, and SentencePiece with its blanks (▁) and bytes
 * (<0x0A>). Or why it is not known what a single token stands for: WordPiece, say, depends on what is before it.
 */
export function tokenBytesOf(decoder: unknown): TokenBytesOf | { readonly whyNot: string } {
  if (typeOf(decoder) === 'ByteLevel') return bytesOfToken;
  const parts = typeOf(decoder) === 'Sequence' ? Object(decoder).decoders : [decoder];
  if (!Array.isArray(parts)) return { whyNot: 'its decoder is a sequence of nothing' };
  if (parts.length === 1 && typeOf(parts[0]) === 'ByteLevel') return bytesOfToken;
  const steps: Step[] = [];
  for (const part of parts) {
    const step = stepOf(part);
    if (step === null) return { whyNot: `its decoder has a part ${typeOf(part)}` };
    steps.push(step);
  }
  return (token) => {
    let text = token;
    for (const step of steps) {
      const made = step(text);
      if (typeof made !== 'string') return made;
      text = made;
    }
    return new TextEncoder().encode(text);
  };
}

function stepOf(part: unknown): Step | null {
  const { pattern, content, replacement } = Object(part);
  switch (typeOf(part)) {
    case 'Replace': {
      const from: unknown = Object(pattern).String;
      if (typeof from !== 'string' || from === '' || typeof content !== 'string') return null;
      return (text) => text.replaceAll(from, () => content);
    }
    case 'Metaspace':
      return typeof replacement === 'string' && replacement !== '' ? (text) => text.replaceAll(replacement, ' ') : null;
    case 'ByteFallback':
      return (text) => {
        const byte = /^<0x([0-9a-fA-F]{2})>$/.exec(text)?.[1];
        return byte === undefined ? text : Uint8Array.of(Number.parseInt(byte, 16));
      };
    // They join tokens, or trim the ends of a text: nothing to one token of many.
    case 'Fuse':
    case 'Strip':
      return (text) => text;
    default:
      return null;
  }
}

function typeOf(part: unknown): string {
  const type: unknown = typeof part === 'object' && part !== null && 'type' in part ? part.type : null;
  return typeof type === 'string' ? type : 'of no type';
}
