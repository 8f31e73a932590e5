import { expect, it } from 'vitest';
import { judgeSplitCharacters } from '../../../../../src/conform/report/judges/split-characters.ts';
import { call, following, judged, record, recordedCall } from '../hand-made.ts';

/** 60 and 61 are the halves of one character. */
const whole = call({ completionIds: [60, 61, 99], rawText: '🌉<|im_end|>', logprobs: [-1, -1, -1] });
const half = call({ completionIds: [10, 60], rawText: 'a\ufffd', finishReason: { type: 'length', length: 2 } });
const chat = (content: string) => ({
  messages: [
    { role: 'user', content: 'go' },
    { role: 'assistant', content },
    { role: 'tool', content: 'x' },
  ],
  promptText: `user: go\n${content}<|im_end|>`,
  promptIds: [1, 2, 3, 70, 99],
});

it('a character over two tokens is faithful where its ids are kept', () => {
  expect(judged(judgeSplitCharacters, [whole, following(whole, 'x')])).toEqual(['faithful']);
  expect(judged(judgeSplitCharacters, [half, following(half, 'x')])).toEqual(['faithful']);
  const held = record('task_complete', 'completion', [recordedCall({ completionIds: [60, 61, 99] })]);
  expect(judged(judgeSplitCharacters, [whole], held)).toEqual(['faithful']);
});

it('it is laundered where it came back broken, or where half a one was encoded again', () => {
  expect(judged(judgeSplitCharacters, [whole, following(whole, 'x', chat('\ufffd\ufffd'))])).toEqual([
    'laundered character_lost',
  ]);
  expect(judged(judgeSplitCharacters, [half, following(half, 'x', chat('a\ufffd'))])).toEqual([
    'laundered character_lost',
  ]);
  const held = record('task_complete', 'completion', [recordedCall({ rawText: '\ufffd\ufffd' })]);
  expect(judged(judgeSplitCharacters, [whole], held)).toEqual(['laundered character_lost']);
});

it('a whole one that is encoded again is whole, and told of the ids', () => {
  expect(judged(judgeSplitCharacters, [whole, following(whole, 'x', chat('🌉'))])).toEqual(['faithful']);
});

it('it is laundered where a record of text alone is all there is of half a one', () => {
  const held = record('task_complete', 'completion', [recordedCall({ rawText: 'a\ufffd' })]);
  expect(judged(judgeSplitCharacters, [half], held)).toEqual(['laundered character_lost']);
});

it('it is not observable where nothing shows it', () => {
  expect(judged(judgeSplitCharacters, [whole])).toEqual(['not_observable']);
  expect(judged(judgeSplitCharacters, [call()])).toEqual([]);
});
