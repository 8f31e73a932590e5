import type { DeepInput, DeepRange, DeepSegment, DeepTurn } from '../../../../processors/model/deep-input.ts';

export interface Call {
  readonly prompt?: readonly number[];
  readonly sampled?: readonly number[];
  readonly finishReason?: string;
  readonly rawText?: string;
}

/** One segment of these calls, by a tokenizer of this hash. */
export function inputOf(calls: readonly Call[], tokenizerSha256: string | null = null): DeepInput {
  return { ...emptyInput(tokenizerSha256), segments: [segmentOf('main', calls)], turns: calls.map(turnOf) };
}

/** Two calls of which the second has `prompt` in the place of all that was held from `forkAt` on. */
export function forkedInput(first: Call, forkAt: number, prompt: readonly number[]): DeepInput {
  const parent = segmentOf('main', [first]);
  const { sampledStart } = parent.ranges[0] ?? { sampledStart: 0 };
  const copied = { turn: 0, promptStart: 0, sampledStart: Math.min(sampledStart, forkAt), end: forkAt, copied: true };
  const end = forkAt + prompt.length;
  const own = { turn: 1, promptStart: forkAt, sampledStart: end, end, copied: false };
  const tokenIds = Uint32Array.from([...parent.tokenIds.subarray(0, forkAt), ...prompt]);
  const child = { id: 'main~1', parentId: 'main', forkAt, tokenIds, ranges: forkAt > 0 ? [copied, own] : [own] };
  return { ...emptyInput(null), segments: [parent, child], turns: [turnOf(first, 0), turnOf({}, 1)] };
}

function emptyInput(tokenizerSha256: string | null): DeepInput {
  return {
    ...{ rolloutId: 'r', tokenizerSha256, templateSha256: null, templateVarsJson: null },
    ...{ segments: [], turns: [], executed: [] },
  };
}

function segmentOf(id: string, calls: readonly Call[]): DeepSegment {
  const ids: number[] = [];
  const ranges: DeepRange[] = [];
  for (const [turn, { prompt = [], sampled = [] }] of calls.entries()) {
    const promptStart = ids.length;
    ids.push(...prompt, ...sampled);
    ranges.push({ turn, promptStart, sampledStart: promptStart + prompt.length, end: ids.length, copied: false });
  }
  return { id, parentId: null, forkAt: null, tokenIds: Uint32Array.from(ids), ranges };
}

function turnOf({ finishReason = 'stop', rawText }: Call, turn: number): DeepTurn {
  return { turn, finishReason, rawText: rawText === undefined ? null : new TextEncoder().encode(rawText) };
}
