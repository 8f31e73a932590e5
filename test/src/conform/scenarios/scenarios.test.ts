import { Tokenizer as Library } from 'tokenizers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CallForm } from '../../../../src/conform/call-form.ts';
import { createVocabulary, type Vocabulary } from '../../../../src/conform/engine/vocabulary.ts';
import type { Play, Turn } from '../../../../src/conform/scenarios/scenario.ts';
import { SCENARIO_NAMES, SCENARIOS } from '../../../../src/conform/scenarios/scenarios.ts';
import { taskOf } from '../../../../src/conform/scenarios/task.ts';
import { createRandom } from '../../../../src/simulate/random.ts';
import { type LoadedTokenizer, loadTokenizer } from '../../../../src/tokenizers/load-tokenizer.ts';
import { QWEN3 } from '../engine/engine-client.ts';

const library = Library.fromFile(`${QWEN3}/tokenizer.json`);
const encode = async (text: string) => (await library.encode(text, null, { addSpecialTokens: false })).getIds();
const EOS = 151645;
const OTHER_EOS = 151643;

let tokenizer: LoadedTokenizer;
let vocabulary: Vocabulary;
beforeAll(async () => {
  tokenizer = await loadTokenizer(QWEN3);
  vocabulary = await createVocabulary(tokenizer);
});
afterAll(async () => {
  await vocabulary.close();
  tokenizer.close();
});

function play(name: string, state: Partial<Turn> & { readonly number?: number } = {}): Play {
  const { number = 0, ...rest } = state;
  const scenario = SCENARIOS.get(name);
  if (scenario === undefined) throw new Error(`no scenario ${name}`);
  const task = taskOf(0, name, number);
  const random = createRandom(`${name} ${number}`);
  return scenario.play({
    ...{ task, form: 'hermes', turn: 0, attempt: 0, opensInThought: false, maxTokens: null, random, vocabulary },
    ...rest,
  });
}

const textOf = ({ ids }: Play): string => vocabulary.text(ids);

it('tells of each what is faithful and what is laundering, in a sentence', () => {
  expect(SCENARIO_NAMES).toEqual([
    ...['honest', 'abort_partial', 'weights_change', 'length_in_call', 'malformed_call', 'unclosed_call'],
    ...['repaired_looking_call', 'loose_arguments', 'duplicate_call', 'think_call', 'noncanonical_split'],
    ...[
      'extra_logprob',
      'storm_429',
      'storm_503',
      'slow_first_token',
      'connection_reset',
      'two_eos',
      'split_character',
    ],
  ]);
  for (const { title, faithful, laundering } of SCENARIOS.values()) {
    expect(title).not.toMatch(/\.$/);
    expect(faithful).toMatch(/^[A-Z][^.]+\.$/);
    expect(laundering).toMatch(/^[A-Z][^.]+\.$/);
  }
});

it('each ends honestly: an agent that goes on is told the result', () => {
  for (const name of SCENARIO_NAMES.filter((other) => other !== 'split_character')) {
    const last = play(name, { turn: 3 });
    expect(textOf(last), name).toBe(`The result is ${taskOf(0, name, 0).answer}.<|im_end|>`);
    expect(last.finish, name).toEqual({ type: 'stop', matched: EOS });
  }
});

it('one seed, task and turn give one play', () => {
  for (const name of SCENARIOS.keys()) expect(play(name, { number: 5 }), name).toEqual(play(name, { number: 5 }));
});

it('honest turns are the tokenizer’s own ids', async () => {
  const { ids } = play('honest');
  expect(ids).toEqual([...(await encode(textOf(play('honest')).replace('<|im_end|>', ''))), EOS]);
});

it('an abort has the beginning of what the next try says whole', () => {
  const [aborted, whole] = [play('abort_partial'), play('abort_partial', { attempt: 1 })];
  expect(aborted.finish).toMatchObject({ type: 'abort' });
  expect(aborted.ids.length).toBeLessThan(whole.ids.length / 2);
  expect(whole.ids.slice(0, aborted.ids.length)).toEqual(aborted.ids);
  expect(whole).toMatchObject({ misbehaved: null, finish: { type: 'stop' } });
});

it('new weights come within the first call and stay', () => {
  const { ids, versions = [] } = play('weights_change');
  expect(versions.map(({ version }) => version)).toEqual(['v1', 'v2']);
  expect(versions[1]?.start).toBeGreaterThan(0);
  expect(versions[1]?.start).toBeLessThan(ids.length);
  expect(play('weights_change', { turn: 1 }).versions).toEqual([{ start: 0, version: 'v2' }]);
});

it('the limit cuts within the arguments of a call', () => {
  for (let number = 0; number < 20; number++) {
    const cut = play('length_in_call', { number });
    expect(cut.finish).toEqual({ type: 'length', length: cut.ids.length });
    expect(textOf(cut)).toMatch(/<tool_call>\n\{"name": "search", "arguments": \{"query": "[^"}]+$/);
  }
});

it('calls are broken in the way that is said', () => {
  expect(textOf(play('malformed_call'))).toContain('"arguments": {query: test}}\n</tool_call><|im_end|>');
  expect(textOf(play('unclosed_call'))).toMatch(/"\}\}<\|im_end\|>$/);
  const bodies = [0, 1, 2, 3].map((number) => {
    const { query } = taskOf(0, 'repaired_looking_call', number);
    const [, body = ''] =
      /<tool_call>\n(.*)\n<\/tool_call>/.exec(textOf(play('repaired_looking_call', { number }))) ?? [];
    return body.replaceAll(query, 'Q');
  });
  expect(bodies).toEqual([
    "{'name': 'search', 'arguments': {'query': 'Q'}}",
    '{"name": "search", "arguments": {"query": "Q",}}',
    '{"name": "search", "parameters": {"query": "Q"}}',
    '{"name": "search", "arguments": "{\\"query\\": \\"Q\\"}"}',
  ]);
  expect(textOf(play('duplicate_call')).match(/"query": "number of/g)?.length).toBe(2);
});

it('arguments are loose in the way that is said', () => {
  const bodies = [0, 1, 2, 3].map((number) => {
    const { query } = taskOf(0, 'loose_arguments', number);
    const [, body = ''] = /<tool_call>\n(.*)\n<\/tool_call>/.exec(textOf(play('loose_arguments', { number }))) ?? [];
    return body.replaceAll(query, 'Q');
  });
  expect(bodies).toEqual([
    '{"name": "search", "arguments": ["Q"]}',
    '{"name": "search", "arguments": {"query": "Q", "query": "something else"}}',
    '{"name": "search", "arguments": {"query": "Q", "limit": NaN}}',
    '{"name": "search", "arguments": {"query": "Q <think>of all kinds</think>"}}',
  ]);
});

describe('in another form', () => {
  const said = (name: string, form: CallForm, number = 0) => {
    const { query } = taskOf(0, name, number);
    return textOf(play(name, { form, number }))
      .replace('I will look that up first.\n', '')
      .replace('<|im_end|>', '')
      .replaceAll(query, 'Q');
  };
  const each = (name: string, form: CallForm) => [0, 1, 2, 3].map((number) => said(name, form, number));

  it('calls are as its models write them', () => {
    expect(said('honest', 'qwen_xml')).toBe(
      '<tool_call>\n<function=search>\n<parameter=query>\nQ\n</parameter>\n</function>\n</tool_call>',
    );
    expect(said('honest', 'glm')).toBe(
      '<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>Q</arg_value>\n</tool_call>',
    );
    const kimi = (index: number) =>
      `<|tool_call_begin|>functions.search:${index}<|tool_call_argument_begin|>{"query": "Q"}<|tool_call_end|>`;
    expect(said('honest', 'kimi')).toBe(`<|tool_calls_section_begin|>${kimi(0)}<|tool_calls_section_end|>`);
    expect(said('duplicate_call', 'kimi')).toBe(
      `<|tool_calls_section_begin|>${kimi(0)}${kimi(1)}<|tool_calls_section_end|>`,
    );
    expect(textOf(play('honest', { form: 'kimi', turn: 1 }))).toContain('functions.calculator:1<');
  });

  it('a call that has no end lacks the last tag of its form', () => {
    expect(said('unclosed_call', 'qwen_xml')).toMatch(/<\/parameter>\n<\/function>$/);
    expect(said('unclosed_call', 'glm')).toMatch(/<\/arg_value>$/);
    expect(said('unclosed_call', 'kimi')).toMatch(/<\|tool_call_end\|>$/);
  });

  it('the limit cuts within the arguments', () => {
    expect(said('length_in_call', 'qwen_xml')).toMatch(/<parameter=query>\n[^<]+$/);
    expect(said('length_in_call', 'glm')).toMatch(/<arg_value>[^<]+$/);
    expect(said('length_in_call', 'kimi')).toMatch(/\{"query": "[^"]+$/);
  });

  it('Qwen-XML and GLM have their own ways', () => {
    const qwen = (args: string) => `<tool_call>\n<function=search>\n${args}\n</function>\n</tool_call>`;
    const query = (value: string) => `<parameter=query>\n${value}\n</parameter>`;
    const half = qwen(`${query('Q')}\n<parameter=limit>\n2`);
    const only = qwen('<parameter=query>\nQ');
    expect(each('repaired_looking_call', 'qwen_xml')).toEqual([half, only, half, only]);
    expect(each('loose_arguments', 'qwen_xml')).toEqual([
      qwen(`${query('Q')}\n${query('something else')}`),
      qwen(query('Q <think>of all kinds</think>')),
      qwen(query('2024')),
      qwen(query('01')),
    ]);
    const glm = (args: string) => `<tool_call>search\n${args}\n</tool_call>`;
    const value = (text: string) => `<arg_key>query</arg_key>\n<arg_value>${text}</arg_value>`;
    expect(each('repaired_looking_call', 'glm').slice(0, 2)).toEqual([
      glm(`${value('Q')}\n<arg_key>limit</arg_key>`),
      glm('<arg_key>query</arg_key>'),
    ]);
    expect(each('loose_arguments', 'glm')).toEqual([
      glm(`${value('Q')}\n${value('something else')}`),
      glm(value('Q <think>of all kinds</think>')),
      glm(value('2024')),
      glm(value('01')),
    ]);
  });

  it('Kimi has those of JSON, but for keys that it does not write', () => {
    const kimi = (args: string) =>
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>${args}` +
      '<|tool_call_end|><|tool_calls_section_end|>';
    expect(said('malformed_call', 'kimi')).toBe(kimi('{query: test}'));
    expect(each('repaired_looking_call', 'kimi').slice(0, 3)).toEqual([
      kimi("{'query': 'Q'}"),
      kimi('{"query": "Q",}'),
      kimi('"{\\"query\\": \\"Q\\"}"'),
    ]);
    expect(each('loose_arguments', 'kimi')).toEqual([
      kimi('["Q"]'),
      kimi('{"query": "Q", "query": "something else"}'),
      kimi('{"query": "Q", "limit": NaN}'),
      kimi('{"query": "Q <think>of all kinds</think>"}'),
    ]);
  });
});

it('a draft is within a thought: whole, without its opening, never closed, and with another within it', () => {
  const texts = [0, 1, 2, 3].map((number) => textOf(play('think_call', { number })));
  for (const text of texts) expect(text).toContain('"query": "draft, never to run: ');
  const thoughts = texts.map((text) => text.match(/<\/?think>/g));
  expect(thoughts).toEqual([
    ['<think>', '</think>'],
    ['</think>'],
    ['<think>'],
    ['<think>', '<think>', '</think>', '</think>'],
  ]);
  const said = texts.map((text) => (text.includes('</think>') ? (text.split('</think>').at(-1) ?? '') : ''));
  expect(said.map((text) => text.includes('"query": "number of'))).toEqual([true, true, false, true]);
  expect(textOf(play('think_call', { opensInThought: true }))).not.toContain('<think>');
});

it('a split is never the tokenizer’s own, and reads the same', async () => {
  for (let number = 0; number < 20; number++) {
    const { ids } = play('noncanonical_split', { number });
    const text = vocabulary.text(ids.slice(0, -1));
    const own = await encode(text);
    expect(ids.slice(0, -1)).not.toEqual(own);
    expect(await library.decode(own, false)).toBe(text);
  }
});

it('the other end token is another one', () => {
  expect(play('two_eos')).toMatchObject({ finish: { type: 'stop', matched: OTHER_EOS } });
  expect(play('two_eos').ids.at(-1)).toBe(OTHER_EOS);
});

it('a character is over several tokens, and cut after its first at the end', async () => {
  const first = play('split_character');
  const character = /(.)"\}\}\n<\/tool_call>/u.exec(textOf(first))?.[1] ?? '';
  expect((await encode(character)).length).toBeGreaterThan(1);
  const last = play('split_character', { turn: 2 });
  expect(textOf(last)).toMatch(/^The result is \d+\. \uFFFD$/);
  expect(last.finish).toEqual({ type: 'length', length: last.ids.length });
});

describe('what is done to the answer', () => {
  it('storms end after two tries', () => {
    for (const status of [429, 503]) {
      const tries = [0, 1, 2].map((attempt) => play(`storm_${status}`, { attempt }).refusal?.status);
      expect(tries).toEqual([status, status, undefined]);
    }
  });

  it('a slow token, a reset and a logprob too many are of an honest text', () => {
    expect(play('slow_first_token')).toMatchObject({
      delayMs: 3_000,
      ids: play('slow_first_token', { attempt: 1 }).ids,
    });
    const reset = play('connection_reset');
    expect(reset.resetAfter).toBeGreaterThan(0);
    expect(reset.resetAfter).toBeLessThan(reset.ids.length);
    expect(play('connection_reset', { attempt: 1 }).resetAfter).toBeUndefined();
    expect(play('extra_logprob').extraLogprobs).toBe(1);
  });
});

it('random ids are in the vocabulary, end no turn early, and are often no whole character', () => {
  let broken = 0;
  for (let number = 0; number < 300; number++) {
    const { ids, finish, versions = [] } = play('random', { number });
    const sampled = finish.type === 'stop' ? ids.slice(0, -1) : ids;
    expect(sampled.every((id) => vocabulary.has(id) && !vocabulary.eosIds.includes(id))).toBe(true);
    expect(versions.every(({ start }, at) => start < ids.length && start > (versions[at - 1]?.start ?? -1))).toBe(true);
    if (vocabulary.text(ids).includes('\uFFFD')) broken += 1;
  }
  expect(broken).toBeGreaterThan(100);
});

it('a long text is as long as it may be', () => {
  expect(play('long_text', { maxTokens: 1_000 }).ids.length).toBe(1_000);
});
