import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import { RollstreamError } from '../../errors.ts';
import { hashOfFolder } from '../hash-of-folder.ts';
import type { PieceTable } from './piece.ts';
import { tableOfPool } from './piece-pool.ts';
import { readInThread } from './read-in-thread.ts';
import { parseVocabulary, tableOfVocabulary } from './vocabulary.ts';

/** A tokenizer whose pieces can be told. */
export interface KnownTokenizer {
  /** Of its tokenizer.json, hex. */
  readonly sha256: string;
  readonly name: string;
  /** `examples`: only what the example rollouts use. */
  readonly source: 'configured' | 'examples';
}

export interface Pieces {
  list(): Promise<KnownTokenizer[]>;
  /** null: it is not known here. Read on first use, in a thread, and kept. */
  open(sha256: string): Promise<{ readonly tokenizer: KnownTokenizer; readonly table: PieceTable } | null>;
  close(): Promise<void>;
}

export interface PiecesDeps {
  readonly folders: ReadonlyArray<{ readonly name: string; readonly folder: string }>;
  /** What stands for a tokenizer that is not configured. */
  readonly vocabularyFile: string;
  readonly log: Logger;
}

interface Source {
  readonly tokenizer: KnownTokenizer;
  readonly read: () => Promise<PieceTable>;
}

export function openPieces({ folders, vocabularyFile, log }: PiecesDeps): Pieces {
  const closing = new AbortController();
  let found: Promise<ReadonlyMap<string, Source>> | null = null;
  const tables = new Map<string, Promise<PieceTable>>();

  const readFolder = async (folder: string, sha256: string): Promise<PieceTable> => {
    const read = await readInThread(folder, closing.signal);
    if (read.sha256 !== sha256)
      throw new RollstreamError('RS_TOKENIZER', `${folder}: it has changed since the server began`);
    return tableOfPool(read.pool);
  };

  const find = async (): Promise<ReadonlyMap<string, Source>> => {
    const sources = new Map<string, Source>();
    for (const { name, folder } of folders) {
      try {
        const sha256 = await hashOfFolder(folder);
        sources.set(sha256, {
          tokenizer: { sha256, name, source: 'configured' },
          read: () => readFolder(folder, sha256),
        });
      } catch (error) {
        log.warn({ name, folder, err: error }, 'a tokenizer cannot be read: its texts are not shown');
      }
    }
    // Last: where a record names none, the first that is known is the likelier one.
    try {
      const vocabulary = parseVocabulary(await readFile(vocabularyFile, 'utf8'));
      const { sha256 } = vocabulary.tokenizer;
      if (!sources.has(sha256))
        sources.set(sha256, {
          tokenizer: { ...vocabulary.tokenizer, source: 'examples' },
          read: async () => tableOfVocabulary(vocabulary),
        });
    } catch (error) {
      log.warn({ file: vocabularyFile, err: error }, 'the texts of the example rollouts cannot be read');
    }
    return sources;
  };

  const sources = (): Promise<ReadonlyMap<string, Source>> => {
    found ??= find();
    return found;
  };

  return {
    list: async () => [...(await sources()).values()].map(({ tokenizer }) => tokenizer),
    async open(sha256) {
      const source = (await sources()).get(sha256);
      if (source === undefined) return null;
      const table = tables.get(sha256) ?? source.read();
      tables.set(sha256, table);
      // Where it failed the next one who asks tries again.
      table.catch(() => tables.delete(sha256));
      return { tokenizer: source.tokenizer, table: await table };
    },
    async close() {
      closing.abort();
      await Promise.allSettled(tables.values());
    },
  };
}
