import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cutter, createBodyCutter, createStreamCutter } from '../../../../../src/proxy/forward/answer/cutter.ts';
import type { CutRule } from '../../../../../src/proxy/forward/json/cut.ts';

/** As it is for vLLM's chat. */
const RULE: CutRule = {
  members: new Map<string, 'null' | CutRule>([
    ['prompt_token_ids', 'null'],
    ['choices', { each: { members: new Map([nulled('token_ids'), nulled('logprobs')]) } }],
  ]),
};
const SGLEXT: CutRule = {
  members: new Map([
    [
      'sglext',
      {
        members: new Map([
          ['input_ids', 'omitted' as const],
          ['output_ids', 'omitted' as const],
        ]),
      },
    ],
  ]),
};

function nulled(name: string): [string, 'null'] {
  return [name, 'null'];
}

function passed(cutter: Cutter, chunks: readonly Buffer[]): string {
  return Buffer.concat([...chunks.flatMap((chunk) => [...cutter.push(chunk)]), ...cutter.end()]).toString('utf8');
}

const stream = (rule: CutRule, text: string): string => passed(createStreamCutter(rule, false), [Buffer.from(text)]);

describe('a cutter of a stream', () => {
  const chunk = (delta: object, ids: readonly number[] | null, finish: string | null = null) =>
    `data: ${JSON.stringify({
      id: 'c',
      choices: [{ index: 0, delta, logprobs: ids && { content: [] }, finish_reason: finish, token_ids: ids }],
    })}\n\n`;

  it('takes out what was added, and leaves comments, fields and the end', () => {
    const text = `: ping\n\nevent: x\n${chunk({ content: 'é😀' }, [1, 2])}data: [DONE]\n\n`;
    expect(stream(RULE, text)).toBe(`: ping\n\nevent: x\n${chunk({ content: 'é😀' }, null)}data: [DONE]\n\n`);
  });

  it('gives the same whatever the pieces, inside a character and inside `data:` too', () => {
    const sent = ['a', 'é', '😀'].map((content, at) => [chunk({ content }, [at]), chunk({ content }, null)] as const);
    const whole = Buffer.from(`${sent.map(([added]) => added).join('')}data: [DONE]\n\n`);
    const expected = `${sent.map(([, own]) => own).join('')}data: [DONE]\n\n`;
    fc.assert(
      fc.property(fc.array(fc.nat({ max: whole.length }), { maxLength: 30 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const chunks = at.slice(1).map((end, index) => whole.subarray(at[index], end));
        expect(passed(createStreamCutter(RULE, false), chunks)).toBe(expected);
      }),
    );
  });

  it('leaves out a chunk that would not have come: tokens that a parser keeps to itself', () => {
    expect(stream(RULE, `${chunk({}, [7])}${chunk({ content: null }, [8])}${chunk({ content: '' }, [9])}`)).toBe(
      chunk({ content: '' }, null),
    );
    expect(stream(RULE, chunk({}, [7], 'stop'))).toBe(chunk({}, null, 'stop'));
    const sglang = (text: string) => passed(createStreamCutter(RULE, true), [Buffer.from(text)]);
    expect(sglang(chunk({ reasoning_content: null, content: '' }, [9]))).toBe('');
    expect(sglang(chunk({ role: 'assistant', content: '' }, [9]))).toBe(
      chunk({ role: 'assistant', content: '' }, null),
    );
    expect(sglang(chunk({ content: 'x' }, [9]))).toBe(chunk({ content: 'x' }, null));
    // It came for the logprobs, which the client asked for itself.
    const own = { choices: [{ index: 0, delta: {}, logprobs: { content: [] }, finish_reason: null, token_ids: [7] }] };
    const idsOnly: CutRule = { members: new Map([['choices', { each: { members: new Map([nulled('token_ids')]) } }]]) };
    expect(stream(idsOnly, `data: ${JSON.stringify(own)}\n\n`)).toContain('"logprobs":{"content":[]}');
    // Nothing was added to it: it came by itself.
    expect(stream(RULE, chunk({}, null))).toBe(chunk({}, null));
  });

  it('leaves out the chunk of sglext, unless the client asked for more of it', () => {
    const ids = { input_ids: [1], output_ids: [[2]] };
    const sglext = (value: object) =>
      `data: ${JSON.stringify({ id: 'c', choices: [], usage: null, sglext: value })}\n\n`;
    expect(stream(SGLEXT, sglext(ids))).toBe('');
    expect(stream(SGLEXT, sglext({ cached: 1, ...ids }))).toBe(sglext({ cached: 1 }));
  });

  it('passes on what is no event, or none of JSON', () => {
    for (const text of [
      'data: {"choices":[{"token_ids":[1]\n\n',
      'nonsense\n\n\n\n',
      'data: a\ndata: b\n\n',
      'torn: {"a',
    ])
      expect(stream(RULE, text)).toBe(text);
  });
});

describe('a cutter of a body', () => {
  it('gives nothing before the end, then all of it', () => {
    const cutter = createBodyCutter(RULE);
    const text = JSON.stringify({ choices: [{ token_ids: [1], text: 'x' }], prompt_token_ids: [5] });
    expect(cutter.push(Buffer.from(text.slice(0, 9)))).toEqual([]);
    expect(cutter.push(Buffer.from(text.slice(9)))).toEqual([]);
    expect(Buffer.concat([...cutter.end()]).toString()).toBe(
      '{"choices":[{"token_ids":null,"text":"x"}],"prompt_token_ids":null}',
    );
  });

  it('passes on what is no JSON as it came', () => {
    expect(passed(createBodyCutter(RULE), [Buffer.from('{"choices":'), Buffer.from('<html>')])).toBe(
      '{"choices":<html>',
    );
  });
});
