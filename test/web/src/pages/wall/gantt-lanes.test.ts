import { expect, it } from 'vitest';
import { lanesOf } from '../../../../../web/src/pages/wall/gantt-lanes.ts';

const row = (kind: string, name: string, started_ms: number | null, ended_ms: number | null, unit = 'r/0/r/x') => ({
  ...{ unit, kind, name, started_ms, ended_ms, turn: null, status: '' },
});

const drawn = (rows: Parameters<typeof lanesOf>[0]) =>
  lanesOf(rows).map(({ title, bars }) => [title, ...bars.map(({ name }) => name)]);

it('tools that run at once have a lane each, and one that begins when another ends goes on in its lane', () => {
  expect(
    drawn([
      row('tool_result', 'a', 0, 100),
      row('tool_result', 'b', 10, 50),
      row('tool_result', 'c', 60, 80),
      row('tool_result', 'd', 100, 110),
    ]),
  ).toEqual([
    ['tools', 'a', 'd'],
    ['tools 2', 'b', 'c'],
  ]);
});

it('a row keeps its number, the begin and end of the attempt have no bar, nor has what has no time', () => {
  const lanes = lanesOf([
    row('start', '', 0, 0),
    row('model_call', 'm', null, null),
    row('model_call', 'm', 5, 9),
    row('end', '', 9, 9),
  ]);
  expect(lanes.map(({ title, bars }) => [title, bars.map(({ index }) => index)])).toEqual([['model', [2]]]);
});

it('of a rollout that was sampled in two units each has lanes of its own', () => {
  expect(drawn([row('phase', 'verify', 0, 1), row('phase', 'verify', 0, 1, 'r/1/r/x')])).toEqual([
    ['phases', 'verify'],
    ['phases of r/1/r/x', 'verify'],
  ]);
});

it("an engine's finish reason that is JSON is told by its type", () => {
  const call = { ...row('model_call', 'm', 0, 1), status: '{"type":"stop","matched":151645}' };
  expect(lanesOf([call])[0]?.bars[0]?.status).toBe('stop');
});
