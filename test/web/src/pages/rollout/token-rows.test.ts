import { describe, expect, it } from 'vitest';
import { flatTokens, indexOf, positionOf } from '../../../../../web/src/pages/rollout/flat-tokens.ts';
import { movedBy } from '../../../../../web/src/pages/rollout/token-keys.ts';
import { ROW, rowOf, tokenRows } from '../../../../../web/src/pages/rollout/token-rows.ts';

const turn = (number: number, segment_id: string, start: number, end: number) => ({
  ...{ turn: number, segment_id, start, end, call_id: `c${number}`, finish_reason: null, temperature: 1, top_p: 1 },
  ...{ logprobs_mode: 'raw', reward: null },
});

// main: 3 of prompt, 3 sampled, 1 of prompt, 2 sampled; main~1 copies the first 4, then 1 of prompt and 2 sampled.
const TRAJECTORY = {
  segments: [
    {
      ...{ segment_id: 'main', parent_segment_id: null, fork_at: null, prompt_len: 3 },
      token_ids: [10, 11, 12, 20, 21, 22, 13, 23, 24],
      sampled_mask: [0, 0, 0, 1, 1, 1, 0, 1, 1],
      loss_mask: [0, 0, 0, 1, 1, 0, 0, 1, 1],
      logprobs: [0, 0, 0, -1, -2, -3, 0, -4, -5],
      weight_spans: [
        { start: 3, version: 'v1' },
        { start: 5, version: 'v2' },
      ],
    },
    {
      ...{ segment_id: 'main~1', parent_segment_id: 'main', fork_at: 4, prompt_len: 5 },
      token_ids: [10, 11, 12, 20, 14, 25, 26],
      sampled_mask: [0, 0, 0, 1, 0, 1, 1],
      loss_mask: [0, 0, 0, 0, 0, 1, 1],
      ...{ logprobs: null, weight_spans: [] },
    },
  ],
  turns: [turn(0, 'main', 3, 6), turn(1, 'main', 7, 9), turn(2, 'main~1', 5, 7)],
};
const flat = flatTokens(TRAJECTORY);
const rows = tokenRows(
  flat,
  4,
  () => 2,
  (position) => flat.ids[position] === 10,
);

describe('the tokens of a trajectory', () => {
  it('stand in one row, copies left out, with the facts of each', () => {
    expect([...flat.ids]).toEqual([10, 11, 12, 20, 21, 22, 13, 23, 24, 14, 25, 26]);
    expect([...flat.turn]).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2]);
    expect([...flat.masks]).toEqual([0, 0, 0, 3, 3, 1, 0, 3, 3, 0, 3, 3]);
    expect([...flat.version].map((version) => flat.versions[version] ?? null)).toEqual([
      ...[null, null, null, 'v1', 'v1', 'v2', 'v2', 'v2', 'v2'],
      ...[null, null, null],
    ]);
  });

  it('have no logprob where they were not sampled, which is not a probability of 1', () => {
    const known = [...flat.logprobs].map((logprob) => (Number.isNaN(logprob) ? null : logprob));
    expect(known).toEqual([null, null, null, -1, -2, -3, null, -4, -5, null, null, null]);
  });

  it('are found by segment and index; a copy is the token of its parent', () => {
    expect([positionOf(flat, 'main', 8), positionOf(flat, 'main~1', 4), positionOf(flat, 'main~1', 3)]).toEqual([
      8, 9, 3,
    ]);
    expect([positionOf(flat, '', 0), positionOf(flat, 'main', 9), positionOf(flat, 'gone', 0)]).toEqual([0, -1, -1]);
    expect(indexOf(flat, 9)).toEqual({ segment: 'main~1', index: 4 });
  });

  it('break into rows at the width, at line ends, and where a prompt, a call, weights or a segment begin', () => {
    const shown = Array.from({ length: rows.count }, (_, row) => [rows.kind[row], rows.at[row]]);
    expect(shown).toEqual([
      ...[
        [ROW.segment, 0],
        [ROW.prompt, 0],
        [ROW.tokens, 0],
        [ROW.tokens, 1],
      ],
      ...[
        [ROW.sampled, 3],
        [ROW.version, 3],
        [ROW.tokens, 3],
        [ROW.version, 5],
        [ROW.tokens, 5],
      ],
      ...[
        [ROW.prompt, 6],
        [ROW.tokens, 6],
        [ROW.sampled, 7],
        [ROW.version, 7],
        [ROW.tokens, 7],
      ],
      ...[
        [ROW.segment, 9],
        [ROW.prompt, 9],
        [ROW.tokens, 9],
        [ROW.sampled, 10],
        [ROW.tokens, 10],
      ],
    ]);
    expect([0, 2, 4, 5, 11].map((position) => rowOf(rows, position))).toEqual([2, 3, 6, 8, 18]);
  });

  it('are walked by keys: beside, above and below, findings in a ring, calls', () => {
    const to = (key: string, cursor: number): number | null => movedBy(key, cursor, flat, rows, [4, 9]);
    expect([
      to('ArrowLeft', 0),
      to('ArrowRight', 11),
      to('ArrowDown', 2),
      to('ArrowUp', 4),
      to('ArrowDown', 11),
    ]).toEqual([0, 11, 4, 2, 11]);
    expect([to('n', 0), to('n', 4), to('n', 9), to('p', 9), to('p', 0)]).toEqual([4, 9, 4, 4, 9]);
    expect([to(']', 0), to(']', 3), to('[', 9), to('[', 0), to('Home', 5), to('End', 5), to('x', 5)]).toEqual([
      3,
      7,
      7,
      0,
      0,
      11,
      null,
    ]);
  });
});
