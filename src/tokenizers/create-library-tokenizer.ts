import { join } from 'node:path';
import { Tokenizer as Library } from 'tokenizers';
import { createTokenBytes } from '../../processors/tokenize/token-bytes.ts';
import { RollstreamError } from '../errors.ts';
import { createLibraryThread } from './library-thread.ts';
import type { TokenizerFolder } from './read-tokenizer-folder.ts';

/** The parts of a tokenizer that the library answers whole. */
export interface LibraryTokenizer {
  readonly size: number;
  readonly has: (id: number) => boolean;
  /** Texts of ids, UTF-8; what is no whole character is U+FFFD. */
  readonly decode: (ids: Uint32Array, from: number, to: number) => Uint8Array;
  readonly encode: (text: string) => Uint32Array;
  readonly close: () => void;
}

/** For a tokenizer whose pipeline is not known exactly: slower, and right by definition. */
export function createLibraryTokenizer({ folder, text, json }: TokenizerFolder): LibraryTokenizer {
  const vocabulary = Object.entries(acceptedBy(folder, text).getVocab(true));
  const thread = createLibraryThread(text);
  const { encode, close } = thread;
  if (Object(json.decoder).type === 'ByteLevel')
    return { ...createTokenBytes(vocabulary.map(([token, id]) => [id, token] as const)), encode, close };
  const ids = new Set(vocabulary.map(([, id]) => id));
  const size = vocabulary.reduce((above, [, id]) => Math.max(above, id + 1), 0);
  return {
    size,
    has: (id) => ids.has(id),
    encode,
    close,
    decode: (asked, from, to) => {
      const slice = [...asked.subarray(from, to)];
      const unknown = slice.find((id) => !ids.has(id));
      if (unknown !== undefined) throw new RangeError(`the tokenizer has no id ${unknown}`);
      return Buffer.from(slice.length === 0 ? '' : thread.decode(slice));
    },
  };
}

function acceptedBy(folder: string, text: string): Library {
  try {
    return Library.fromString(text);
  } catch (cause) {
    const file = 'tokenizer.json';
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_TOKENIZER', `${join(folder, file)}: expected a tokenizer: ${why}`, {
      cause,
      facts: { folder, file },
    });
  }
}
