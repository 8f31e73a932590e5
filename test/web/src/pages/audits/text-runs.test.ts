import { expect, it } from 'vitest';
import { textRuns } from '../../../../../web/src/pages/audits/text-runs.ts';

const shown = (runs: ReadonlyArray<{ readonly how: string; readonly text: string }>) =>
  runs.map(({ how, text }) => `${how}: ${text}`);

it('of a call that lacks its braces the first difference is the brace that nobody wrote, not what stands around the arguments', () => {
  const written = '<tool_call>\n{"name": "calc", "arguments": {"x": "1 + 2"\n</tool_call>';
  const { expected, was } = textRuns(written, '{"x":"1 + 2"}');
  expect(shown(expected)).toEqual([
    'same: <tool_call>\n{"name": "calc", "arguments": {"x": "1 + 2"',
    'gap: ',
    'same: \n</tool_call>',
  ]);
  expect(shown(was)).toEqual(['same: {"x":"1 + 2"', 'first: }']);
});

it('an argument that ran otherwise is the first difference on both sides, and blanks are none', () => {
  const { expected, was } = textRuns('{"days": 30,  "all": true}', '{"days": 3, "all": false}');
  expect(shown(expected)).toEqual(['same: {"days": ', 'first: 30', 'same: ,  "all": ', 'differs: true', 'same: }']);
  expect(shown(was)).toEqual(['same: {"days": ', 'first: 3', 'same: , "all": ', 'differs: false', 'same: }']);
});

it('two equal texts have no difference', () => {
  expect(textRuns('a b', 'a b')).toEqual({
    expected: [{ how: 'same', text: 'a b' }],
    was: [{ how: 'same', text: 'a b' }],
  });
});
