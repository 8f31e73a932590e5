import type { JsonObject, JsonValue } from '../exact-number.ts';
import { arrayOrNull, booleanOr, objectAt, Refused, shown } from '../fields.ts';

/** One message of the graph of a trace. */
export interface GraphNode {
  readonly index: number;
  readonly path: string;
  readonly value: JsonObject;
  readonly message: JsonObject;
  /** -1: a root. */
  readonly parent: number;
  /** A model call wrote it; false also for an assistant's message that was given. */
  readonly sampled: boolean;
  readonly hasTokens: boolean;
  readonly children: number[];
  /** The root it hangs from. */
  readonly root: number;
  /** A node below it was sampled with token ids: tokens after its own call travel with that one. */
  isFollowed: boolean;
  /** There is a sampled node above it. */
  readonly isAnswer: boolean;
}

/** Nodes of a trace: a parent always stands before its children, so that there is no ring. */
export function graphOf(trace: JsonObject, path: string): readonly GraphNode[] {
  const values = arrayOrNull(trace.nodes, `${path}.nodes`) ?? [];
  const nodes: GraphNode[] = [];
  for (const [index, entry] of values.entries()) {
    const at = `${path}.nodes[${index}]`;
    const value = objectAt(entry, at);
    const parent = parentOf(value.parent, index, `${at}.parent`);
    const above = nodes[parent];
    nodes.push({
      index,
      path: at,
      value,
      message: objectAt(value.message, `${at}.message`),
      parent,
      sampled: booleanOr(value.sampled, `${at}.sampled`, false),
      hasTokens: (arrayOrNull(value.token_ids, `${at}.token_ids`) ?? []).length > 0,
      children: [],
      root: above?.root ?? index,
      isFollowed: false,
      isAnswer: above !== undefined && (above.sampled || above.isAnswer),
    });
    above?.children.push(index);
  }
  for (const node of nodes.toReversed()) {
    const above = nodes[node.parent];
    if (above !== undefined && (node.isFollowed || (node.sampled && node.hasTokens))) above.isFollowed = true;
  }
  return nodes;
}

function parentOf(value: JsonValue | undefined, index: number, field: string): number {
  if (value === undefined || value === null) return -1;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < index) return value;
  throw new Refused(field, `the index of an earlier node than ${index}, or null`, shown(value));
}

/**
 * Nodes in the order their events take: branch after branch, the first one first, each from where it leaves the one before. So
 * each branch shares with the one before it all that it shares with any, and what they share is sent once.
 */
export function inBranchOrder(nodes: readonly GraphNode[]): readonly GraphNode[] {
  const ordered: GraphNode[] = [];
  const waiting: number[] = [];
  for (const root of nodes) {
    if (root.parent !== -1) continue;
    waiting.push(root.index);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const node = nodes[next];
      if (node === undefined) continue;
      ordered.push(node);
      waiting.push(...node.children.toReversed());
    }
  }
  return ordered;
}
