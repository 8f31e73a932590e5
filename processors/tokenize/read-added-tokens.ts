import type { KnownPipeline } from './known-pipeline.ts';

type Added = Pick<KnownPipeline, 'rawAdded' | 'normalizedAdded'>;

/** Added tokens whose flags and ids are as plain as those of the models that are known. */
export function readAddedTokens(
  list: unknown,
  ids: ReadonlyMap<string, number>,
  isNfc: boolean,
): Added | { readonly whyNot: string } {
  if (list !== undefined && !Array.isArray(list)) return { whyNot: 'added_tokens is no list' };
  const rawAdded = new Map<number, string>();
  const normalizedAdded = new Map<number, string>();
  const contents = new Set<string>();
  let next = ids.size;
  for (const token of list ?? []) {
    const { id, content, normalized, lstrip, rstrip, single_word } = Object(token);
    if (typeof content !== 'string' || content === '' || !content.isWellFormed())
      return { whyNot: 'an added token without text' };
    if (lstrip !== false || rstrip !== false || single_word !== false)
      return { whyNot: `added token ${content} takes blanks or whole words` };
    // The library numbers them itself, in this order, unless they are in the vocabulary.
    const expected = ids.get(content) ?? next;
    if (id !== expected || contents.has(content)) return { whyNot: `added token ${content} has an id out of order` };
    if (id === next) next += 1;
    contents.add(content);
    if (normalized === false) rawAdded.set(id, content);
    else if (!isNfc || content.normalize('NFC') === content) normalizedAdded.set(id, content);
    else return { whyNot: `added token ${content} is changed by normalization` };
  }
  return { rawAdded, normalizedAdded };
}
