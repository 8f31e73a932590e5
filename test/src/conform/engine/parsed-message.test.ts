import { expect, it } from 'vitest';
import { createMessageStream, parsedMessage } from '../../../../src/conform/engine/parsed-message.ts';
import { handAnswer } from './shapes/hand-answer.ts';

const CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "a"}}\n</tool_call>';

/** What the deltas of a stream come to, its text cut into pieces of one length. */
function streamed(
  text: string,
  length: number,
  facts: Pick<ReturnType<typeof handAnswer>, 'asked' | 'opensInThought'>,
) {
  const next = createMessageStream(facts);
  const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'gu')) ?? [];
  const deltas = pieces.map((piece, at) => next(piece, at === pieces.length - 1));
  return {
    reasoning: deltas.map(({ reasoning }) => reasoning).join(''),
    content: deltas.map(({ content }) => content).join(''),
    calls: deltas.flatMap(({ calls }) => calls.map(({ name, arguments: args }) => ({ name, arguments: args }))),
  };
}

it('a stream comes to what the whole text is, however it is cut', () => {
  const texts = [
    'a < b <th <tool',
    '<thin air',
    '<think>so</think>\n\nyes < no',
    `Look:\n${CALL}`,
    `<think>${CALL}</think>${CALL}\n${CALL}`,
    '<think>never ends',
  ];
  for (const parsesCalls of [true, false]) {
    for (const text of texts) {
      const answer = handAnswer({ dialect: 'vllm', parsesCalls, toolNames: ['search'] }, { text });
      const whole = parsedMessage(answer);
      for (const length of [1, 2, 3, 7, 100])
        expect(streamed(text, length, answer), `${parsesCalls} ${length} ${text}`).toEqual({
          ...whole,
          reasoning: whole.reasoning ?? '',
        });
    }
  }
});

it('where the prompt opened a thought, the text begins in it', () => {
  const answer = handAnswer({}, { text: 'so</think>yes', opensInThought: true });
  expect(parsedMessage(answer)).toEqual({ reasoning: 'so', content: 'yes', calls: [] });
  expect(streamed('so</think>yes', 1, answer)).toMatchObject({ reasoning: 'so', content: 'yes' });
});

it('of a call that is none, a stream tells what stood before it', () => {
  const text = 'Look:\n<tool_call>\n{"name": "search", "arguments": {query: test}}\n</tool_call>';
  const answer = handAnswer({ parsesCalls: true, toolNames: ['search'] }, { text });
  expect(parsedMessage(answer)).toMatchObject({ content: text, calls: [] });
  expect(streamed(text, 1, answer)).toMatchObject({ content: 'Look:\n', calls: [] });
});
