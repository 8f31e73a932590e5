import { join } from 'node:path';
import { Tokenizer as Library } from 'tokenizers';
import { RollstreamError } from '../errors.ts';
import { createLibraryThread, type LibraryThread } from './library-thread.ts';
import type { TokenizerFolder } from './read-tokenizer-folder.ts';

/** The parts of a tokenizer that the library answers whole. */
export interface LibraryTokenizer {
  readonly thread: LibraryThread;
  readonly size: number;
  readonly has: (id: number) => boolean;
  /** Texts of ids, UTF-8; what is no whole character is U+FFFD. */
  readonly decode: (ids: Uint32Array, from: number, to: number) => Uint8Array;
  readonly encode: (text: string) => Uint32Array;
}

/** For a tokenizer whose pipeline is not known exactly: slower, and right by definition. */
export function createLibraryTokenizer({ folder, text }: TokenizerFolder): LibraryTokenizer {
  const ids = new Set(Object.values(acceptedBy(folder, text).getVocab(true)));
  let size = 0;
  for (const id of ids) size = Math.max(size, id + 1);
  const thread = createLibraryThread(text);
  return {
    thread,
    size,
    has: (id) => ids.has(id),
    encode: thread.encode,
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
    throw new RollstreamError('RS_INPUT_REFUSED', `${join(folder, file)}: expected a tokenizer: ${why}`, {
      cause,
      facts: { folder, file },
    });
  }
}
