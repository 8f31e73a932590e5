import { expect, it } from 'vitest';
import { replayPlace } from '../../../src/cli/replay-place.ts';

it.each([
  ['2026-11-28', '2026-11-28T00:00:00.000Z'],
  ['2026-11-28 06:00', '2026-11-28T06:00:00.000Z'],
  ['2026-11-28T06:00:30.5', '2026-11-28T06:00:30.500Z'],
  ['2026-11-28T06:00:00Z', '2026-11-28T06:00:00.000Z'],
  ['2026-11-28 06:00+02:00', '2026-11-28T04:00:00.000Z'],
])('a time keeps its hour, and is UTC without a zone: %s', (text, at) => {
  expect(replayPlace(text, 'from')).toEqual({ at_ms: Date.parse(at) });
});

it('an offset is of every partition, or of one', () => {
  expect(replayPlace('1200', 'from')).toEqual({ offset: 1200 });
  expect(replayPlace('3:1200', 'to')).toEqual({ partition: 3, offset: 1200 });
});

it.each(['yesterday', '2026-11-28 6am', '2026-11-28T25:00', '-1', ''])('what is no place is refused: %s', (text) => {
  expect(() => replayPlace(text, 'to')).toThrow(expect.objectContaining({ code: 'RS_USAGE', facts: { field: 'to' } }));
});
