import type { TrajectoryJson } from '../../../../src/ready/trajectory-json.ts';

export const SAMPLED = 1;
export const IN_LOSS = 2;

/** The tokens of a trajectory in one row, what a segment copied from its parent left out; typed arrays, since there may be many. */
export interface FlatTokens {
  readonly count: number;
  readonly ids: Uint32Array;
  /** NaN: none. */
  readonly logprobs: Float32Array;
  /** SAMPLED, IN_LOSS. */
  readonly masks: Uint8Array;
  /** Of `segments`. */
  readonly segment: Uint16Array;
  /** Call that sampled it, or whose prompt brought it; -1: after the last call. */
  readonly turn: Int32Array;
  /** Of `versions`; -1: unknown. */
  readonly version: Int16Array;
  readonly versions: readonly string[];
  readonly segments: readonly FlatSegment[];
}

export interface FlatSegment {
  readonly id: string;
  readonly parent: string | null;
  readonly forkAt: number | null;
  /** All of its tokens, the copied ones too. */
  readonly length: number;
  readonly hasLogprobs: boolean;
  /** Position of the first that is its own. */
  readonly from: number;
  /** Index of that in the segment. */
  readonly first: number;
  /** Calls in it. */
  readonly turns: TrajectoryJson['turns'];
}

export function flatTokens({ segments, turns }: Pick<TrajectoryJson, 'segments' | 'turns'>): FlatTokens {
  const spans: FlatSegment[] = [];
  let count = 0;
  for (const { segment_id: id, parent_segment_id: parent, fork_at: forkAt, token_ids, logprobs } of segments) {
    const isCopied = parent !== null && segments.some((other) => other.segment_id === parent);
    const first = isCopied ? Math.min(forkAt ?? 0, token_ids.length) : 0;
    const own = turns.filter((turn) => turn.segment_id === id);
    spans.push({
      id,
      parent,
      forkAt,
      length: token_ids.length,
      hasLogprobs: logprobs !== null,
      from: count,
      first,
      turns: own,
    });
    count += token_ids.length - first;
  }
  const flat = {
    ids: new Uint32Array(count),
    logprobs: new Float32Array(count).fill(Number.NaN),
    masks: new Uint8Array(count),
    segment: new Uint16Array(count),
    turn: new Int32Array(count).fill(-1),
    version: new Int16Array(count).fill(-1),
  };
  const versions: string[] = [];
  segments.forEach((segment, number) => {
    const span = spans[number];
    if (span === undefined) return;
    const { from, first, length } = span;
    for (let index = first; index < length; index += 1) {
      const at = from + index - first;
      const sampled = segment.sampled_mask[index] === 1;
      flat.ids[at] = segment.token_ids[index] ?? 0;
      flat.segment[at] = number;
      flat.masks[at] = (sampled ? SAMPLED : 0) | (segment.loss_mask[index] === 1 ? IN_LOSS : 0);
      if (sampled && segment.logprobs !== null) flat.logprobs[at] = segment.logprobs[index] ?? Number.NaN;
    }
    let before = first;
    for (const { turn, end } of span.turns) {
      flat.turn.fill(turn, from + Math.max(before, first) - first, from + Math.max(end, first) - first);
      before = end;
    }
    segment.weight_spans.forEach(({ start, version }, nth) => {
      const until = segment.weight_spans[nth + 1]?.start ?? length;
      const known = version === '' ? -1 : numberOfVersion(versions, version);
      flat.version.fill(known, from + Math.max(0, start - first), from + Math.max(0, until - first));
    });
  });
  return { count, ...flat, versions, segments: spans };
}

/** Position of a token; one that was copied is its parent's. -1: there is none. */
export function positionOf(flat: FlatTokens, segmentId: string, index: number): number {
  const segment = segmentId === '' ? flat.segments[0] : flat.segments.find(({ id }) => id === segmentId);
  if (segment === undefined || index < 0 || index >= segment.length) return -1;
  if (index < segment.first && segment.parent !== null) return positionOf(flat, segment.parent, index);
  return segment.from + index - segment.first;
}

/** Where a position is: its segment, and its index there. */
export function indexOf(flat: FlatTokens, position: number): { readonly segment: string; readonly index: number } {
  const segment = flat.segments[flat.segment[position] ?? 0];
  return { segment: segment?.id ?? '', index: position - (segment?.from ?? 0) + (segment?.first ?? 0) };
}

/** Of an index that `positionOf` does not find: what there is instead. */
export function missingWords({ segments }: FlatTokens, segmentId: string, index: number): string {
  const segment = segmentId === '' ? segments[0] : segments.find(({ id }) => id === segmentId);
  if (segment === undefined)
    return `There is no segment ${segmentId}; there are ${segments.map(({ id }) => id).join(', ')}.`;
  return `There is no token ${index} in segment ${segment.id}, whose last is ${segment.length - 1}.`;
}

function numberOfVersion(versions: string[], name: string): number {
  const known = versions.indexOf(name);
  return known === -1 ? versions.push(name) - 1 : known;
}
