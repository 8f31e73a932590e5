import type { ModelCallInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents, EventPlace } from '../attempt-events.ts';
import type { JsonObject } from '../exact-number.ts';
import { Refused } from '../fields.ts';
import { isSameJson, joined, leftover, unlessEmpty } from '../json-text.ts';
import { sourceTime } from '../source-times.ts';
import { chatText, createChat, type KnownOfMessage } from './chat-messages.ts';
import { keptAway, keptNumbers } from './kept-numbers.ts';
import { type TraceCall, type TraceCalls, traceCalls } from './verifiers-v1-calls.ts';
import { type GraphNode, graphOf, inBranchOrder } from './verifiers-v1-graph.ts';
import { createNodeTokens, type NodeTokens } from './verifiers-v1-tokens.ts';

/** What the nodes leave to the end. */
export interface AddedNodes {
  readonly finalText: string | null;
  readonly extra: JsonObject | undefined;
}

/**
 * Nodes as events, branch after branch: what a model call wrote is a call with the tokens it added, all else is a message or a
 * tool result. Trees have a segment each, the first one `main`: their branches are rewritten histories, which start derived ones.
 */
export function addNodes(
  out: AttemptEvents,
  trace: JsonObject,
  path: string,
  location: string,
  version: string | null,
): AddedNodes {
  const nodes = graphOf(trace, path);
  const calls = traceCalls(trace, path);
  checkCalls(nodes, calls, path);
  const tokensAt = createNodeTokens();
  /** One line of messages says by its order who follows whom. */
  const isLine = nodes.every(({ parent, index }) => parent === index - 1);
  let current: CurrentNode | null = null;

  const chat = createChat(out, {
    known(): KnownOfMessage | undefined {
      if (current === null) return undefined;
      const { node, tokens, call } = current;
      return {
        call: callOf(current, version),
        place: { segmentId: segmentOf(node), ...placeOf(current) },
        extra: joined(extraOf(current, trace, location), call?.extra, {
          node: isLine ? undefined : node.index,
          parent: isLine || node.parent === -1 ? undefined : node.parent,
          unsent_token_ids: tokens.unsent,
          missing_logprobs: tokens.missingLogprobs.length > 0 ? [...tokens.missingLogprobs] : undefined,
        }),
      };
    },
  });

  function addFailed(failed: readonly TraceCall[] | undefined, segmentId: string): void {
    for (const { call, extra, place, index } of failed ?? [])
      chat.addCall({ ...call, call_id: `call-${index}` }, extra, { segmentId, ...place });
  }

  for (const node of inBranchOrder(nodes)) {
    addFailed(calls.failedBefore.get(node.index), segmentOf(node));
    current = { node, tokens: tokensAt(node), call: calls.ofNode.get(node.index) };
    const isGiven = node.message.role === 'assistant' ? !node.sampled : !node.isAnswer;
    chat.add(node.message, `${node.path}.message`, isGiven);
  }
  addFailed(calls.failedBefore.get(-1), 'main');
  const last = nodes.at(-1);
  return {
    finalText: last?.sampled === true ? chatText(last.message.content) : null,
    extra: unlessEmpty({ unused_calls: calls.unused.length > 0 ? [...calls.unused] : undefined }),
  };
}

interface CurrentNode {
  readonly node: GraphNode;
  readonly tokens: NodeTokens;
  readonly call: TraceCall | undefined;
}

/** A tree shares no token with another one: sub-agents and histories that were begun anew. */
function segmentOf({ root }: GraphNode): string {
  return root === 0 ? 'main' : `root-${root}`;
}

function callOf({ node, tokens, call }: CurrentNode, version: string | null): Partial<ModelCallInit> {
  return {
    call_id: `node-${node.index}`,
    ...call?.call,
    ...tokens.call,
    weight_spans: version === null || tokens.call === null ? [] : [{ start: 0, version }],
  };
}

/** Nodes are made when their turn is committed: for what was sampled that is right after the answer, for all else it tells nothing. */
function placeOf({ node, call }: CurrentNode): EventPlace | undefined {
  if (!node.sampled) return undefined;
  return call?.place ?? { endedAtUs: sourceTime(node.value.timestamp).us };
}

const NODE_KEYS = ['parent', 'message', 'sampled', 'token_ids', 'mask', 'logprobs', 'timestamp', 'tools'];
/** A number or a flag a token. */
const PER_TOKEN = ['is_content', 'advantages', 'reference_logprobs', 'trainer_logprobs', 'entropies'];
/** Arrays that a trace on disk leaves out. */
const TENSORS = ['routed_experts', 'sampling_mask'];

function extraOf({ node, call }: CurrentNode, trace: JsonObject, location: string): JsonObject | undefined {
  const { value, path, sampled } = node;
  const kept: JsonObject = {};
  for (const [key, entry] of Object.entries(leftover(value, NODE_KEYS) ?? {})) {
    const isNumbers = PER_TOKEN.includes(key);
    const held = isNumbers ? keptNumbers(entry, location, `${path}.${key}`) : entry;
    const found = TENSORS.includes(key) ? keptAway(entry, location, `${path}.${key}`) : held;
    // Defaults of the schema: there is none.
    if (found !== undefined && !(Array.isArray(found) && found.length === 0)) kept[key] = found;
  }
  const { timestamp, tools } = value;
  const isPlaced = sampled && call?.place === undefined && sourceTime(timestamp).us !== null;
  if (timestamp !== undefined && !isPlaced) kept.timestamp = timestamp;
  if (tools !== undefined && (trace.tools === undefined || !isSameJson(tools, trace.tools))) kept.tools = tools;
  return unlessEmpty(kept);
}

/** A call of a node that no call could have written would lose what it says. */
function checkCalls(nodes: readonly GraphNode[], { ofNode }: TraceCalls, path: string): void {
  for (const [node, { index }] of ofNode) {
    const found = nodes[node];
    if (found?.sampled === true && found.message.role === 'assistant') continue;
    const got = found === undefined ? `${node} of ${nodes.length}` : `${node}, which is not`;
    throw new Refused(`${path}.calls[${index}].node`, 'a node that was sampled', got);
  }
  for (const { sampled, message, path: at } of nodes) {
    if (sampled && message.role !== 'assistant')
      throw new Refused(`${at}.sampled`, 'false for a message that is not the assistant’s', 'true');
  }
}
