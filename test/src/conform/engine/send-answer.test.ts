import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Engine } from '../../../../src/conform/engine/engine-config.ts';
import { openEngine } from '../../../../src/conform/engine/open-engine.ts';
import { TOOLS } from '../../../../src/conform/scenarios/tools.ts';
import { type LoadedTokenizer, loadTokenizer } from '../../../../src/tokenizers/load-tokenizer.ts';
import { jsonOf, post, QWEN3 } from './engine-client.ts';

let tokenizer: LoadedTokenizer;
let engine: Engine;
beforeAll(async () => {
  tokenizer = await loadTokenizer(QWEN3);
  engine = await openEngine({ tokenizer });
});
afterAll(async () => {
  await engine.close();
  tokenizer.close();
});

const chat = (scenario: string, more: object = {}) =>
  post(engine.url, '/v1/chat/completions', {
    messages: [{ role: 'user', content: `[[rollstream:${scenario}]] How many?` }],
    ...{ return_token_ids: true, logprobs: true },
    ...more,
  });
/** Pieces of a streamed answer as they were written, before any client joins them. */
async function rawPieces(scenario: string): Promise<Buffer[]> {
  const messages = [{ role: 'user', content: `[[rollstream:${scenario}]] How many?` }];
  const body = JSON.stringify({ messages, stream: true, tools: TOOLS });
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const socket = connect(Number(new URL(engine.url).port), '127.0.0.1');
  socket.write(head + body);
  const raw = Buffer.concat(await socket.toArray());
  const pieces: Buffer[] = [];
  for (let at = raw.indexOf('\r\n\r\n') + 4; ; ) {
    const start = raw.indexOf('\r\n', at) + 2;
    const length = Number.parseInt(raw.toString('latin1', at, start), 16);
    if (length === 0) return pieces;
    pieces.push(raw.subarray(start, start + length));
    at = start + length + 2;
  }
}

const lastTruth = () => engine.truth().at(-1);

it('an abort is HTTP 200 with what there was, and asked again the call is whole', async () => {
  const [first, second] = [await jsonOf(chat('abort_partial#1')), await jsonOf(chat('abort_partial#1'))];
  expect(first.choices[0]).toMatchObject({ finish_reason: 'abort', stop_reason: null });
  expect(second.choices[0].token_ids.slice(0, first.choices[0].token_ids.length)).toEqual(first.choices[0].token_ids);
  expect(engine.truth().slice(-2)).toMatchObject([
    { attempt: 0, finishReason: { type: 'abort' }, misbehaved: expect.stringContaining('aborted') },
    { attempt: 1, finishReason: { type: 'stop' }, misbehaved: null },
  ]);
});

it('a storm is refused twice with a header that says when to come again', async () => {
  const answers = [await chat('storm_429#1'), await chat('storm_429#1'), await chat('storm_429#1')];
  expect(answers.map(({ status }) => status)).toEqual([429, 429, 200]);
  expect(answers[0]?.headers.get('retry-after')).toBe('1');
  expect(engine.truth().slice(-3)).toMatchObject([
    { status: 429, requestId: null, completionIds: [], finishReason: null },
    { status: 429, attempt: 1 },
    { status: 200, attempt: 2 },
  ]);
});

it('a stream is reset after what the truth says was sent', async () => {
  const response = await chat('connection_reset#1', { stream: true });
  let read = '';
  const reading = (async () => {
    for await (const chunk of response.body ?? []) read += Buffer.from(chunk).toString();
  })();
  await expect(reading).rejects.toThrow();
  const chunks = read
    .split('\n\n')
    .filter(Boolean)
    .map((event) => JSON.parse(event.slice('data: '.length)));
  const ids = chunks.flatMap(({ choices }) => choices[0].token_ids ?? []);
  expect(lastTruth()).toMatchObject({ ended: 'reset', finishReason: null, completionIds: ids, status: 200 });
  expect(ids.length).toBeGreaterThan(0);
  expect(await jsonOf(chat('connection_reset#1'))).toMatchObject({ choices: [{ finish_reason: 'stop' }] });
});

it('a whole answer is cut within its body', async () => {
  await expect(chat('connection_reset#2').then((response) => response.text())).rejects.toThrow();
  expect(lastTruth()).toMatchObject({ ended: 'reset', completionIds: [] });
});

it('a client that leaves in the middle is told, with the tokens that were sent', async () => {
  const slow = await openEngine({ tokenizer, tokensPerSecond: 20 });
  try {
    const leaving = new AbortController();
    const response = await fetch(`${slow.url}/v1/completions`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, signal: leaving.signal },
      body: JSON.stringify({ prompt: '[[rollstream:long_text#1]]', max_tokens: 1_000, stream: true }),
    });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await expect.poll(() => slow.truth().length).toBe(1);
    const [call] = slow.truth();
    expect(call).toMatchObject({ ended: 'client_gone', finishReason: null });
    expect(call?.completionIds.length).toBeGreaterThan(0);
    expect(call?.completionIds.length).toBeLessThan(1_000);
  } finally {
    await slow.close();
  }
});

it('a client that has left before its answer begins had nothing of it', async () => {
  const before = engine.truth().length;
  const body = JSON.stringify({
    messages: [{ role: 'user', content: '[[rollstream:slow_first_token#2]]' }],
    stream: true,
  });
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n\r\n`;
  const socket = connect(Number(new URL(engine.url).port), '127.0.0.1').end(head + body);
  expect(await socket.toArray()).toEqual([]);
  await expect.poll(() => engine.truth().length).toBe(before + 1);
  expect(lastTruth()).toMatchObject({ ended: 'client_gone', completionIds: [], finishReason: null });
});

it('what is cut by the end of the engine has a line in its log', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollstream-send-'));
  const log = join(folder, 'truth.jsonl');
  const ending = await openEngine({ tokenizer, log, tokensPerSecond: 20 });
  const response = await post(ending.url, '/v1/completions', {
    prompt: '[[rollstream:long_text#3]]',
    max_tokens: 100,
    stream: true,
  });
  const reader = response.body?.getReader();
  await reader?.read();
  await ending.close();
  await expect(reader?.closed).rejects.toThrow();
  expect(
    readFileSync(log, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line)),
  ).toMatchObject([{ scenario: 'long_text', ended: 'client_gone', finishReason: null }]);
  rmSync(folder, { recursive: true });
});

it('one logprob too many reaches the client of each route', async () => {
  const body = await jsonOf(chat('extra_logprob#1'));
  const { token_ids, logprobs } = body.choices[0];
  expect(logprobs.content.length).toBe(token_ids.length + 1);
  expect(lastTruth()?.logprobs.length).toBe(token_ids.length + 1);
});

it('a character over several tokens is whole again in the text of a stream', async () => {
  const pieces = await rawPieces('split_character#1');
  // The last is `[DONE]`.
  expect(Math.max(...pieces.slice(0, -1).map(({ length }) => length))).toBe(5);
  // Some end within the character, of which no byte is a character of its own.
  expect(pieces.some((piece) => piece.toString().endsWith('\uFFFD'))).toBe(true);
  const text = Buffer.concat(pieces).toString();
  const chunks = text
    .split('\n\n')
    .filter(Boolean)
    .slice(0, -1)
    .map((event) => JSON.parse(event.slice('data: '.length)));
  const calls = chunks.flatMap(({ choices }) => choices[0].delta.tool_calls ?? []);
  const said = calls.map(({ function: { arguments: args } }) => args).join('');
  expect(said).not.toContain('\uFFFD');
  expect(said).toMatch(/ [\u{10000}-\u{10ffff}]"\}$/u);
});
