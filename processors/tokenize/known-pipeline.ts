import { BYTE_ALPHABET, bytesOfAlphabet } from './byte-alphabet.ts';
import { readAddedTokens } from './read-added-tokens.ts';
import { readMerges } from './read-merges.ts';

/** A tokenizer.json whose every step is known exactly. */
export interface KnownPipeline {
  readonly pattern: 'gpt2' | 'cl100k';
  /** Digits that stay together, of pattern cl100k. */
  readonly digits: number;
  readonly isNfc: boolean;
  /** A pre-token that is in the vocabulary is that token, whatever the merges make of it. */
  readonly ignoreMerges: boolean;
  /** By byte. */
  readonly byteIds: Int32Array;
  /** By rank. */
  readonly mergeLeft: Int32Array;
  readonly mergeRight: Int32Array;
  readonly merged: Int32Array;
  /** Token of the vocabulary with these bytes; -1: there is none. */
  readonly idOfBytes: (bytes: Uint8Array, from: number, to: number) => number;
  /** Added tokens by id: those looked for in the text as it is, and those looked for after normalization. */
  readonly rawAdded: ReadonlyMap<number, string>;
  readonly normalizedAdded: ReadonlyMap<number, string>;
  /** All tokens: of the vocabulary, then added ones. */
  readonly tokens: ReadonlyArray<readonly [id: number, text: string]>;
}

export type PipelineReading = { readonly known: KnownPipeline } | { readonly whyNot: string };

/** Reads a tokenizer.json, or says which part of it is not one that is known. */
export function readKnownPipeline(json: Readonly<Record<string, unknown>>): PipelineReading {
  const { truncation, padding, normalizer, pre_tokenizer, decoder, model, post_processor } = json;
  if (!isNone(truncation) || !isNone(padding)) return { whyNot: 'truncation or padding is set' };
  const isNfc = isObject(normalizer) && normalizer.type === 'NFC';
  if (!isNone(normalizer) && !isNfc) return { whyNot: `normalizer ${typeOf(normalizer)}` };
  const split = splitOf(pre_tokenizer);
  if (split === null) return { whyNot: `pre-tokenizer ${typeOf(pre_tokenizer)} with a pattern that is not known` };
  if (!isObject(decoder) || decoder.type !== 'ByteLevel') return { whyNot: `decoder ${typeOf(decoder)}` };
  if (!isHarmless(post_processor)) return { whyNot: `post-processor ${typeOf(post_processor)}` };
  if (!isObject(model) || model.type !== 'BPE') return { whyNot: `model ${typeOf(model)}` };
  const { vocab, merges, ignore_merges } = model;
  for (const field of ['dropout', 'unk_token', 'continuing_subword_prefix', 'end_of_word_suffix'] as const)
    if (!isNone(model[field]) && model[field] !== '') return { whyNot: `model.${field} is set` };
  if (model.byte_fallback === true) return { whyNot: 'model.byte_fallback is set' };
  const ids = readVocabulary(vocab);
  if (ids === null) return { whyNot: 'model.vocab is not a list of unique ids' };
  const byteIds = Int32Array.from(BYTE_ALPHABET, (character) => ids.get(character) ?? -1);
  if (byteIds.includes(-1)) return { whyNot: 'model.vocab lacks a byte' };
  const read = readMerges(merges, ids);
  if (read === null) return { whyNot: 'model.merges has an entry that is not of two tokens and one that they become' };
  const added = readAddedTokens(json.added_tokens, ids, isNfc);
  if ('whyNot' in added) return added;
  const ignoreMerges = ignore_merges === true;
  const idOfBytes = ignoreMerges ? createIdOfBytes(ids) : () => -1;
  const tokens: Array<[number, string]> = [];
  for (const [text, id] of ids) tokens.push([id, text]);
  for (const one of [added.rawAdded, added.normalizedAdded]) tokens.push(...one);
  return { known: { ...split, isNfc, ignoreMerges, byteIds, ...read, idOfBytes, ...added, tokens } };
}

const CL100K = (digits: string) =>
  `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;
const DIGITS_BY_PATTERN: ReadonlyMap<unknown, number> = new Map([
  [CL100K('\\p{N}'), 1],
  [CL100K('\\p{N}{1,3}'), 3],
]);

function splitOf(preTokenizer: unknown): Pick<KnownPipeline, 'pattern' | 'digits'> | null {
  if (isByteLevel(preTokenizer, true)) return { pattern: 'gpt2', digits: 0 };
  if (!isObject(preTokenizer) || preTokenizer.type !== 'Sequence') return null;
  const steps = preTokenizer.pretokenizers;
  if (!Array.isArray(steps) || steps.length !== 2 || !isByteLevel(steps[1], false)) return null;
  const split: unknown = steps[0];
  if (!isObject(split) || split.type !== 'Split' || split.behavior !== 'Isolated' || split.invert !== false)
    return null;
  const digits = isObject(split.pattern) ? DIGITS_BY_PATTERN.get(split.pattern.Regex) : undefined;
  return digits === undefined ? null : { pattern: 'cl100k', digits };
}

/** Its `use_regex` is true where it is absent. */
function isByteLevel(step: unknown, useRegex: boolean): boolean {
  if (!isObject(step) || step.type !== 'ByteLevel' || step.add_prefix_space !== false) return false;
  return (step.use_regex ?? true) === useRegex;
}

/** It adds special tokens, which are not asked for, or trims offsets. */
function isHarmless(step: unknown): boolean {
  if (isNone(step)) return true;
  if (!isObject(step)) return false;
  if (step.type === 'Sequence') return Array.isArray(step.processors) && step.processors.every(isPlain);
  return isPlain(step);
}

function isPlain(step: unknown): boolean {
  return isObject(step) && (step.type === 'ByteLevel' || step.type === 'TemplateProcessing');
}

function readVocabulary(vocab: unknown): Map<string, number> | null {
  if (!isObject(vocab)) return null;
  const ids = new Map<string, number>();
  const seen = new Set<number>();
  for (const [text, id] of Object.entries(vocab)) {
    if (typeof id !== 'number' || !Number.isInteger(id) || id < 0 || id >= MOST_TOKENS || seen.has(id)) return null;
    seen.add(id);
    ids.set(text, id);
  }
  return ids;
}

/** Ten times what the largest tokenizers have. */
const MOST_TOKENS = 1 << 22;

function createIdOfBytes(ids: ReadonlyMap<string, number>): KnownPipeline['idOfBytes'] {
  // A byte is a character, so that a Map of texts serves.
  const byBytes = new Map<string, number>();
  let longest = 0;
  for (const [text, id] of ids) {
    const bytes = bytesOfAlphabet(text);
    if (bytes === null) continue;
    byBytes.set(Buffer.from(bytes).toString('latin1'), id);
    longest = Math.max(longest, bytes.length);
  }
  return (bytes, from, to) => {
    if (to - from > longest) return -1;
    const key = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1');
    return byBytes.get(key) ?? -1;
  };
}

function isNone(value: unknown): boolean {
  return value === null || value === undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  return isObject(value) && typeof value.type === 'string' ? value.type : 'of no type';
}
