import type { ModelCallInit } from '../../../schemas/generated/step-event.ts';
import type { JsonValue } from '../exact-number.ts';
import { arrayOrNull, Refused, shown } from '../fields.ts';
import { packLogprobs, packTokenIds, sameLength } from '../packed.ts';
import { type BranchTokens, createBranchTokens } from './branch-tokens.ts';
import type { GraphNode } from './verifiers-v1-graph.ts';

export interface NodeTokens {
  /** null: the node was not sampled, or has no token ids. */
  readonly call: Pick<
    ModelCallInit,
    'prompt_prefix_len' | 'prompt_delta_ids' | 'completion_ids' | 'completion_logprobs'
  > | null;
  /** Tokens that no call takes with it, since none comes after them. */
  readonly unsent: JsonValue[] | undefined;
  readonly missingLogprobs: readonly number[];
}

/** What each node adds to its branch, asked in the order of `inBranchOrder`. */
export function createNodeTokens(): (node: GraphNode) => NodeTokens {
  /** Tokens of a branch up to and with each node. */
  const lengthAt = new Map<number, number>();
  let tree = -1;
  let tokens: BranchTokens = createBranchTokens();

  return (node) => {
    if (node.root !== tree) {
      tree = node.root;
      tokens = createBranchTokens();
    }
    tokens.backTo(lengthAt.get(node.parent) ?? 0);
    const found = tokensOf(node, tokens);
    lengthAt.set(node.index, tokens.length);
    return found;
  };
}

const NO_TOKENS: NodeTokens = { call: null, unsent: undefined, missingLogprobs: [] };

function tokensOf(node: GraphNode, tokens: BranchTokens): NodeTokens {
  const { value, path, sampled, hasTokens } = node;
  const ids = arrayOrNull(value.token_ids, `${path}.token_ids`) ?? [];
  const [from, to] = sampledRun(node, ids.length);
  const logprobs = arrayOrNull(value.logprobs, `${path}.logprobs`) ?? [];
  if (logprobs.length > 0) sameLength(logprobs, `${path}.logprobs`, to - from, 'sampled tokens');
  if (!hasTokens) return NO_TOKENS;
  const packed = packTokenIds(ids, `${path}.token_ids`);
  if (!sampled) {
    tokens.prompt(packed);
    return { ...NO_TOKENS, unsent: node.isFollowed ? undefined : ids };
  }
  tokens.prompt(packed.subarray(0, from * 4));
  const completion = packed.subarray(from * 4, to * 4);
  const { prefix, delta } = tokens.sample(completion);
  tokens.prompt(packed.subarray(to * 4));
  const scores = logprobs.length > 0 ? packLogprobs(logprobs, `${path}.logprobs`) : null;
  return {
    call: {
      prompt_prefix_len: prefix,
      prompt_delta_ids: delta,
      completion_ids: completion,
      completion_logprobs: scores?.bytes ?? null,
    },
    unsent: to < ids.length && !node.isFollowed ? ids.slice(to) : undefined,
    missingLogprobs: scores?.missing ?? [],
  };
}

/** Where the sampled tokens of a node begin and end: a call samples its tokens in one run, after what the template put before them. */
function sampledRun({ value, path, sampled }: GraphNode, tokens: number): [number, number] {
  const field = `${path}.mask`;
  const mask = arrayOrNull(value.mask, field) ?? [];
  // A message that was given needs no mask to say so.
  if (mask.length > 0 || sampled) sameLength(mask, field, tokens);
  let from = 0;
  while (from < mask.length && !isSampled(mask[from], field, from)) from++;
  let to = from;
  while (to < mask.length && isSampled(mask[to], field, to)) to++;
  for (let i = to; i < mask.length; i++) {
    if (isSampled(mask[i], field, i)) throw new Refused(`${field}[${i}]`, 'one run of sampled tokens', 'another run');
  }
  if (to > from && !sampled) throw new Refused(field, 'no sampled token, since sampled is false', `${to - from}`);
  return [from, to];
}

function isSampled(value: JsonValue | undefined, field: string, at: number): boolean {
  if (value === true || value === 1) return true;
  if (value === false || value === 0) return false;
  throw new Refused(`${field}[${at}]`, 'true or false', shown(value));
}
