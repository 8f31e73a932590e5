import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { nfcNormalizer } from 'tokenizers';
import type { AddedToken, Tokenizer } from '../../processors/model/tokenizer.ts';
import { createFastEncode } from '../../processors/tokenize/fast-encode.ts';
import { type KnownPipeline, readKnownPipeline } from '../../processors/tokenize/known-pipeline.ts';
import { createTokenBytes } from '../../processors/tokenize/token-bytes.ts';
import { RollstreamError } from '../errors.ts';
import { createLibraryTokenizer } from './create-library-tokenizer.ts';
import { readSpecialTokens } from './read-special-tokens.ts';
import { readTokenizerFolder, type TokenizerFolder } from './read-tokenizer-folder.ts';

/** A tokenizer and what its folder says beside it. */
export interface LoadedTokenizer extends Tokenizer {
  readonly folder: string;
  /** Chat template; null: the folder has none. Its hash is of its UTF-8. */
  readonly templateText: string | null;
  readonly templateSha256: string | null;
  /** tokenizer_config.json as it is; empty: there is none. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly bosToken: string | null;
  readonly eosToken: string | null;
  /** How texts are encoded: by our own code, or whole by Hugging Face's library. */
  readonly path: 'fast' | 'library';
  /** Set if and only if the path is `library`. */
  readonly whyNotFast: string | null;
  /** Ends the thread of the library, where one was needed. */
  readonly close: () => void;
}

/** Loads a tokenizer from a folder with tokenizer.json and, where there are, its configuration and chat template. */
export async function loadTokenizer(folder: string): Promise<LoadedTokenizer> {
  const files = await readTokenizerFolder(folder);
  const { bosToken, eosToken, generationEosIds, templateText } = readSpecialTokens(files);
  const added = addedTokensOf(files);
  const idsByContent = new Map([...added].map(([id, { content }]) => [content, id]));
  const addedId = (content: string) => idsByContent.get(content) ?? null;
  const eosId = eosToken === null ? null : addedId(eosToken);
  const pipeline = readKnownPipeline(files.json);
  const parts = 'known' in pipeline ? createFastTokenizer(pipeline.known) : createLibraryTokenizer(files);
  return {
    ...parts,
    sha256: files.sha256,
    added,
    addedId,
    bosId: bosToken === null ? null : addedId(bosToken),
    eosIds: [...new Set([...(eosId === null ? [] : [eosId]), ...generationEosIds])],
    folder,
    templateText,
    templateSha256: templateText === null ? null : createHash('sha256').update(templateText).digest('hex'),
    config: files.config,
    bosToken,
    eosToken,
    path: 'known' in pipeline ? 'fast' : 'library',
    whyNotFast: 'known' in pipeline ? null : pipeline.whyNot,
  };
}

function createFastTokenizer(pipeline: KnownPipeline) {
  const normalizer = nfcNormalizer();
  return {
    ...createTokenBytes(pipeline.tokens),
    encode: createFastEncode(pipeline, (text) => normalizer.normalizeString(text)),
    close: () => undefined,
  };
}

function addedTokensOf({ folder, json }: TokenizerFolder): Map<number, AddedToken> {
  const list = json.added_tokens ?? [];
  const refused = (field: string, expected: string) =>
    new RollstreamError('RS_TOKENIZER', `${join(folder, 'tokenizer.json')}: ${field}: expected ${expected}`, {
      facts: { folder, file: 'tokenizer.json', field },
    });
  if (!Array.isArray(list)) throw refused('added_tokens', 'a list');
  const added = new Map<number, AddedToken>();
  for (const [at, token] of list.entries()) {
    const { id, content, special } = Object(token);
    if (!Number.isInteger(id) || id < 0) throw refused(`added_tokens[${at}].id`, 'a whole number from 0 on');
    if (typeof content !== 'string') throw refused(`added_tokens[${at}].content`, 'text');
    added.set(id, { content, special: special === true });
  }
  return added;
}
