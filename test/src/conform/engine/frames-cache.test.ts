import { expect, it } from 'vitest';
import { createFramesCache } from '../../../../src/conform/engine/frames-cache.ts';
import type { Shape } from '../../../../src/conform/engine/shapes/frame.ts';
import { vllmChat } from '../../../../src/conform/engine/shapes/vllm-chat.ts';
import { handAnswer } from './shapes/hand-answer.ts';

it('a stream that is kept is the one that would be written, but for the id', () => {
  const cached = createFramesCache();
  let written = 0;
  const counting: Shape = {
    ...vllmChat,
    frames(answer) {
      written += 1;
      return vllmChat.frames(answer);
    },
  };
  for (const asked of [{ requestId: 'one' }, { requestId: 't"wo' }, { requestId: 'one', returnTokenIds: true }]) {
    const answer = handAnswer({ stream: true, ...asked });
    expect([...cached(answer, counting)]).toEqual([...vllmChat.frames(answer)]);
  }
  expect(written).toBe(2);
});
