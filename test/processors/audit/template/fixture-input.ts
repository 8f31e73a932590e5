import type { DeepInput, DeepRange } from '../../../../processors/model/deep-input.ts';

/** A model call: what its prompt added, and what was sampled. */
export interface FixtureCall {
  readonly prompt: readonly number[];
  readonly sampled?: readonly number[];
  readonly finish?: string | null;
}

const NOTHING_SAID = { tokenizerSha256: null, templateSha256: null, templateVarsJson: null, executed: [] };

/** One segment, of calls that each extend the one before. */
export function inputOf(calls: readonly FixtureCall[], said: Partial<DeepInput> = {}): DeepInput {
  return {
    ...{ rolloutId: 'r', ...NOTHING_SAID },
    segments: [{ id: 'main', parentId: null, forkAt: null, ...sequenceOf(calls, 0) }],
    turns: calls.map(({ finish }, turn) => ({ turn, finishReason: finish ?? null, rawText: null })),
    ...said,
  };
}

/** Two segments: the second call of a rollout whose prompt is not the first one extended. */
export function forkedInputOf(
  first: FixtureCall,
  nextPrompt: readonly number[],
  sampled: readonly number[],
): DeepInput {
  const parent = inputOf([first]);
  const held = [...first.prompt, ...(first.sampled ?? [])];
  let forkAt = 0;
  while (forkAt < held.length && held[forkAt] === nextPrompt[forkAt]) forkAt += 1;
  const copied: DeepRange = {
    turn: 0,
    promptStart: 0,
    sampledStart: first.prompt.length,
    end: forkAt,
    copied: true,
  };
  const own: DeepRange = {
    turn: 1,
    promptStart: forkAt,
    sampledStart: nextPrompt.length,
    end: nextPrompt.length + sampled.length,
    copied: false,
  };
  const tokenIds = Uint32Array.from([...nextPrompt, ...sampled]);
  return {
    ...parent,
    segments: [
      ...parent.segments,
      { id: 'main~1', parentId: 'main', forkAt, tokenIds, ranges: forkAt === 0 ? [own] : [copied, own] },
    ],
    turns: [...parent.turns, { turn: 1, finishReason: 'stop', rawText: null }],
  };
}

function sequenceOf(
  calls: readonly FixtureCall[],
  firstTurn: number,
): { tokenIds: Uint32Array; ranges: readonly DeepRange[] } {
  const ids: number[] = [];
  const ranges = calls.map(({ prompt, sampled }, i) => {
    const promptStart = ids.length;
    for (const id of prompt) ids.push(id);
    const sampledStart = ids.length;
    for (const id of sampled ?? []) ids.push(id);
    return { turn: firstTurn + i, promptStart, sampledStart, end: ids.length, copied: false };
  });
  return { tokenIds: Uint32Array.from(ids), ranges };
}
