import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExactNumber } from '../../../../../src/ingest/exact-number.ts';
import { readCall } from '../../../../../src/proxy/journal/read-call.ts';
import { wholeAnswer } from '../../../../../src/proxy/record/whole-answer/whole-answer.ts';
import { type SeenCall, streamOf, writeCall } from '../call-files.ts';

let folder = '';
let calls = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-whole-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const LIMITS = { maxBytes: 1_000_000, keptBytes: 100 };

function whole(seen: Omit<SeenCall, 'id' | 'request'>) {
  const recorded = readCall(writeCall(folder, { id: `c${calls++}`, request: {}, ...seen }));
  if (recorded === null) throw new Error('the file of the call is torn');
  return wholeAnswer(recorded, LIMITS);
}

const cuts = fc.array(fc.nat(100_000), { maxLength: 12 });
/** Sizes of the chunks that tokens come in. */
const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 10 });
const tokenText = fc.constantFrom('a', ' b', '\n', 'é', '💡', '"', '\\', '<tool_call>');
const logprob = fc.float({ max: 0, min: -30, noNaN: true });
const tokens = (count: number) =>
  fc.array(fc.tuple(fc.nat(2 ** 32 - 1), logprob, tokenText), { minLength: count, maxLength: count });

function parts<T>(items: readonly T[], of: readonly number[]): T[][] {
  let at = 0;
  return of.map((size) => {
    at += size;
    return items.slice(at - size, at);
  });
}

describe('a stream is the answer that it would have been', () => {
  it("of SGLang's /generate, whatever it repeats and wherever it is cut", () => {
    const sampled = sizes.chain((of) => fc.tuple(fc.constant(of), tokens(of.reduce((sum, n) => sum + n, 0))));
    fc.assert(
      fc.property(sampled, fc.boolean(), fc.boolean(), cuts, ([of, all], isNewOnly, hasAllLogprobs, at) => {
        const finish = { type: 'stop', matched: 7 };
        const meta = (n: number) => ({ id: 'r1', prompt_tokens: 3, completion_tokens: n, weight_version: '8' });
        const pairs = all.map(([id, lp]) => [lp, id, null]);
        const answer = {
          text: all.map(([, , text]) => text).join(''),
          output_ids: all.map(([id]) => id),
          meta_info: { ...meta(all.length), finish_reason: finish, output_token_logprobs: pairs },
        };
        let count = 0;
        const chunks = parts(all, of).map((some) => {
          count += some.length;
          const shown = isNewOnly ? some : all.slice(0, count);
          const told = hasAllLogprobs ? pairs.slice(0, count) : pairs.slice(count - some.length, count);
          return {
            text: shown.map(([, , text]) => text).join(''),
            output_ids: shown.map(([id]) => id),
            meta_info: {
              ...meta(count),
              finish_reason: count === all.length ? finish : null,
              output_token_logprobs: told,
            },
          };
        });
        const found = whole({ answer: streamOf(chunks), cuts: at });
        expect(found).toEqual({ answer, stream: { chunks: of.length, isDone: true, torn: null }, unreadable: null });
      }),
      { numRuns: 150 },
    );
  });

  it('of a chat with tool calls, of one choice or two', () => {
    const sampled = sizes.chain((of) => fc.tuple(fc.constant(of), tokens(of.reduce((sum, n) => sum + n, 0))));
    const call = fc.record({
      id: fc.uuid(),
      name: fc.constantFrom('add', 'sub'),
      args: fc.array(tokenText, { minLength: 1 }),
    });
    fc.assert(
      fc.property(sampled, fc.array(call, { maxLength: 2 }), cuts, ([of, all], toolCalls, at) => {
        const text = (some: typeof all) => some.map(([, , part]) => part).join('');
        const entry = ([, lp, token]: (typeof all)[number]) => ({ token, logprob: lp });
        const message = {
          role: 'assistant',
          content: text(all),
          ...(toolCalls.length === 0
            ? {}
            : {
                tool_calls: toolCalls.map(({ id, name, args }) => ({
                  function: { name, arguments: args.join('') },
                  ...{ id, type: 'function' },
                })),
              }),
        };
        const answer = {
          ...{
            id: 'chat-1',
            model: 'm',
            prompt_token_ids: [1, 2, 3],
            usage: { prompt_tokens: 3, completion_tokens: all.length },
          },
          choices: [
            {
              ...{ index: 0, message, finish_reason: 'stop', token_ids: all.map(([id]) => id) },
              logprobs: { content: all.map(entry) },
            },
          ],
        };
        const chunk = (choice: object) => ({ id: 'chat-1', model: 'm', choices: [{ index: 0, ...choice }] });
        const chunks = [
          {
            ...chunk({ delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }),
            prompt_token_ids: [1, 2, 3],
          },
          ...parts(all, of).map((some) =>
            chunk({
              ...{ delta: { content: text(some) }, finish_reason: null },
              ...{ token_ids: some.map(([id]) => id), logprobs: { content: some.map(entry) } },
            }),
          ),
          ...toolCalls.flatMap(({ id, name, args }, index) => [
            chunk({ delta: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] } }),
            ...args.map((part) => chunk({ delta: { tool_calls: [{ index, function: { arguments: part } }] } })),
          ]),
          chunk({ delta: {}, finish_reason: 'stop' }),
          { id: 'chat-1', model: 'm', choices: [], usage: { prompt_tokens: 3, completion_tokens: all.length } },
        ];
        expect(whole({ answer: streamOf(chunks), cuts: at }).answer).toEqual(answer);
      }),
      { numRuns: 150 },
    );
  });

  it('of completions, with integers beyond 2^53 exact', () => {
    const text = [
      '{"id":"c","choices":[{"index":0,"text":"a","token_ids":[1],"logprobs":{"tokens":["a"],"token_logprobs":[-0.5]},"prompt_token_ids":[9]}]}',
      '{"id":"c","seed":9007199254740993,"choices":[{"index":1,"text":"z"},{"index":0,"text":"b","token_ids":[2],"logprobs":{"tokens":["b"],"token_logprobs":[null]},"finish_reason":"length"}]}',
    ];
    expect(whole({ answer: text.map((line) => `data: ${line}\r\n\r\n`).join('') })).toEqual({
      answer: {
        id: 'c',
        seed: new ExactNumber('9007199254740993'),
        choices: [
          {
            ...{ index: 0, text: 'ab', token_ids: [1, 2], prompt_token_ids: [9], finish_reason: 'length' },
            logprobs: { tokens: ['a', 'b'], token_logprobs: [-0.5, null] },
          },
          { index: 1, text: 'z' },
        ],
      },
      ...{ stream: { chunks: 2, isDone: false, torn: null }, unreadable: null },
    });
  });
});

describe('a stream that is not whole', () => {
  const chunk = { text: 'a', output_ids: [1], meta_info: { id: 'r', completion_tokens: 1 } };

  it('is what came of it, and what was torn stands beside it', () => {
    const body = `${streamOf([chunk], { done: false })}data: {"text":"ab","out`;
    const stream = { chunks: 1, isDone: false, torn: '{"text":"ab","out' };
    expect(whole({ answer: body })).toEqual({ answer: chunk, stream, unreadable: null });
  });

  it('holds a last event that lacks only its blank line', () => {
    const body = streamOf([chunk], { done: false }).trimEnd();
    expect(whole({ answer: body })).toEqual({
      ...{ answer: chunk, unreadable: null },
      stream: { chunks: 1, isDone: false, torn: null },
    });
  });

  it('keeps an error that comes in the middle beside what came before', () => {
    const { answer } = whole({ answer: streamOf([chunk, { error: { message: 'gone', code: 500 } }]) });
    expect(answer).toEqual({ ...chunk, error: { message: 'gone', code: 500 } });
  });
});

describe('an answer that cannot be read', () => {
  const html = { 'content-type': 'text/html' };
  it.each([
    ['no JSON', { answer: '<html>502</html>', answerHeaders: html }, 'unreadable_answer', '<html>502</html>'],
    ['not UTF-8', { answer: Buffer.from([0x7b, 0xff, 0x7d]), answerHeaders: html }, 'unreadable_answer', '{\ufffd}'],
    ['a JSON value', { answer: '7', answerHeaders: html }, 'unreadable_answer', '7'],
    [
      'a list of answers',
      { answer: '[{"text":"a"},{"text":"b"}]', answerHeaders: html },
      'several_answers',
      '[{"text":"a"},{"text":"b"}]',
    ],
    [
      'an event that is no JSON',
      { answer: 'data: {"a":1}\n\ndata: oops\n\n' },
      'unreadable_answer',
      'data: {"a":1}\n\ndata: oops\n\n',
    ],
    ['events of nothing', { answer: ': ping\n\n' }, 'unreadable_answer', ': ping\n\n'],
  ])('is told, and kept: %s', (_name, seen, why, kept) => {
    expect(whole(seen)).toMatchObject({ answer: null, unreadable: { why, kept } });
  });

  it('is kept only as far as the limit goes', () => {
    expect(whole({ answer: 'x'.repeat(1000), answerHeaders: html }).unreadable?.kept).toBe('x'.repeat(100));
  });

  it('is not unpacked beyond the limit', () => {
    const answerHeaders = { ...html, 'content-encoding': 'gzip' };
    const found = whole({ answer: gzipSync(Buffer.alloc(2_000_000)), answerHeaders });
    expect(found.unreadable?.why).toBe('answer_too_large');
  });

  it('is none where the upstream did not begin to answer', () => {
    expect(whole({ answer: null })).toEqual({ answer: null, stream: null, unreadable: null });
  });
});
