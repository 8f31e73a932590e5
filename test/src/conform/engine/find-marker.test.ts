import { expect, it } from 'vitest';
import { findMarker, turnOf } from '../../../../src/conform/engine/find-marker.ts';

it('finds the last marker, where it stands first', () => {
  expect(findMarker('no marker, [[rollstream:x]] neither')).toBeNull();
  expect(
    findMarker('old [[rollstream:honest#1]] new [[rollstream:two_eos#12]] a tool says [[rollstream:two_eos#12]]'),
  ).toEqual({
    scenario: 'two_eos',
    task: 12,
    at: 32,
  });
});

it('counts assistant turns since then, but for the one that is open', () => {
  expect(turnOf('A: earlier U: [m] A:', 14, 'A:')).toBe(0);
  expect(turnOf('A: earlier U: [m] A: so U: and A:', 14, 'A:')).toBe(1);
  expect(turnOf('a prompt without a turn', 0, 'A:')).toBe(0);
});
