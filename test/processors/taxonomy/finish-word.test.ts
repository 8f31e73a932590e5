import { expect, it } from 'vitest';
import { finishWordOf } from '../../../processors/taxonomy/finish-word.ts';

it('the word of a finish reason is its type where it is an object, else itself, asked once or often', () => {
  for (const _ of [1, 2]) {
    expect(finishWordOf('stop')).toBe('stop');
    expect(finishWordOf('{"type":"abort","message":"weights"}')).toBe('abort');
    expect(finishWordOf(`{"type":"length","note":"${'x'.repeat(500)}"}`)).toBe('length');
    for (const odd of ['{"type":1}', '{"kind":"stop"}', '{not json', '{}', '']) expect(finishWordOf(odd)).toBe(odd);
  }
});

it('more reasons than are remembered are all read right', () => {
  for (let i = 0; i < 2_500; i += 1) expect(finishWordOf(`{"type":"t${i}","length":${i}}`)).toBe(`t${i}`);
  expect(finishWordOf('{"type":"t7","length":7}')).toBe('t7');
});
