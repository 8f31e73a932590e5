import type { Absent, CutRule } from '../json/cut.ts';
import { type BodyObject, textOf } from '../json/insert.ts';
import type { ModelRoute } from '../model-route.ts';

export type Engine = 'sglang' | 'vllm' | 'openai';

/** What is asked for in the client's place, and how it is taken out of the answer again. */
export interface Asking {
  /** Members of the body, as JSON text. */
  readonly members: ReadonlyMap<string, string>;
  /** Headers, by their lower-case names. */
  readonly headers: ReadonlyMap<string, string>;
  readonly cut: CutRule;
  /** A chunk with an empty text says nothing: the engine sends none unless it was asked for more. */
  readonly emptySaysNothing: boolean;
}

/** What a client sent: its body, and whether a header came with it. */
export interface AskedBy {
  readonly body: BodyObject;
  readonly hasHeader: (name: string) => boolean;
}

const NOTHING: Asking = { members: new Map(), headers: new Map(), cut: {}, emptySaysNothing: false };

/**
 * As the engines have it (read on main of vllm-project/vllm and sgl-project/sglang in 2026; docs/proxy.md names the files).
 * vLLM writes a field that was not asked for as null, in chunks too; SGLang leaves ids and meta_info out, and writes `logprobs` as null.
 */
export function whatToAsk(engine: Engine, route: ModelRoute, { body, hasHeader }: AskedBy): Asking {
  if (engine === 'openai') return NOTHING;
  if (route === 'generate') return engine === 'sglang' ? askSglangGenerate(body) : NOTHING;
  // The candidates of a beam search have no logprobs of what was sampled.
  if (isTrue(body, 'use_beam_search')) return NOTHING;
  if (engine === 'vllm') return route === 'chat' ? askVllmChat(body) : askVllmCompletions(body);
  return route === 'chat' ? askSglangChat(body, hasHeader) : askSglangCompletions(body);
}

/** Names of what is asked for; none: nothing is. */
export function namesOf({ members, headers }: Asking): string[] {
  return [...members.keys(), ...headers.keys()];
}

export function isStream(body: BodyObject): boolean {
  return isTrue(body, 'stream');
}

function askVllmChat(body: BodyObject): Asking {
  const asked = createAsked(body);
  const ids = asked.flag('return_token_ids');
  const logprobs = asked.chatLogprobs();
  return asked.done({
    members: new Map<string, Absent | CutRule>([
      ...(ids ? [['prompt_token_ids', 'null'] as const] : []),
      ['choices', eachWith([...(ids ? ['token_ids'] : []), ...logprobs], 'null')],
    ]),
  });
}

/** With `echo` the ids change the text that comes back: vLLM leaves the prompt out of it where ids are asked for. */
function askVllmCompletions(body: BodyObject): Asking {
  if (isGiven(body, 'echo')) return NOTHING;
  const asked = createAsked(body);
  const ids = asked.flag('return_token_ids') ? ['prompt_token_ids', 'token_ids'] : [];
  const logprobs = asked.completionLogprobs();
  return asked.done({ members: new Map([['choices', eachWith([...ids, ...logprobs], 'null')]]) });
}

/**
 * With `stream` SGLang refuses the fields of choices (PR 30917), and gives the ids once, at the end, in `sglext` (PR 34488). Of that the
 * field in the body was renamed; the header was not.
 */
function askSglangChat(body: BodyObject, hasHeader: AskedBy['hasHeader']): Asking {
  const asked = createAsked(body);
  const logprobs = asked.chatLogprobs();
  if (isStream(body)) {
    const ids = ['input_ids', 'output_ids'].filter((name) => {
      const isOwn = isGiven(body, `return_${name}`) || isGiven(body, `return_${name}_in_sglext`);
      return !isOwn && asked.header(`x-sglext-return-${name.replace('_', '-')}`, hasHeader);
    });
    const cut = {
      members: new Map([
        ['choices', eachWith(logprobs, 'null')],
        ['sglext', { members: all(ids, 'omitted') }],
      ]),
    };
    return { ...asked.done(cut), emptySaysNothing: true };
  }
  // A client that asks for ids gets those of the prompt beside them.
  const isOwn = isGiven(body, 'return_token_ids');
  const prompt = !isOwn && asked.flag('return_prompt_token_ids') ? ['prompt_token_ids'] : [];
  const ids = asked.flag('return_token_ids') ? ['token_ids', 'response_token_ids'] : [];
  // It takes routed experts out of sglext, and makes valid what was not.
  const isFree = !isGiven(body, 'return_routed_experts') && !isGiven(body, 'return_sampling_mask');
  const meta = isFree && asked.flag('return_meta_info') ? ['meta_info'] : [];
  const omitted = all([...prompt, ...ids, ...meta], 'omitted');
  return asked.done({
    members: new Map([['choices', { each: { members: new Map([...omitted, ...all(logprobs, 'null')]) } }]]),
  });
}

function askSglangCompletions(body: BodyObject): Asking {
  const asked = createAsked(body);
  const ids = asked.flag('return_token_ids') ? ['prompt_token_ids', 'token_ids'] : [];
  // With `echo` logprobs are also those of the prompt, which it has to be computed for.
  const logprobs = isGiven(body, 'echo') ? [] : asked.completionLogprobs();
  const members = new Map([...all(ids, 'omitted'), ...all(logprobs, 'null')]);
  return asked.done({ members: new Map([['choices', { each: { members } }]]) });
}

const META_LOGPROBS = [
  ...['input_token_logprobs', 'output_token_logprobs', 'output_token_logprobs_length'],
  ...['input_top_logprobs', 'output_top_logprobs', 'input_token_ids_logprobs', 'output_token_ids_logprobs'],
];

/** One answer, or an array of them where several prompts came at once. */
function askSglangGenerate(body: BodyObject): Asking {
  const asked = createAsked(body);
  const logprobs = asked.flag('return_logprob') ? META_LOGPROBS : [];
  // The ids of the prompt are in the request itself, unless it is text.
  const ids = !isGiven(body, 'input_ids') && asked.flag('return_prompt_token_ids') ? ['prompt_token_ids'] : [];
  const members = new Map<string, Absent | CutRule>([
    ...all(ids, 'omitted'),
    ['meta_info', { members: all(logprobs, 'omitted') }],
  ]);
  return asked.done({ members, each: { members } });
}

function createAsked(body: BodyObject) {
  const members = new Map<string, string>();
  const headers = new Map<string, string>();
  return {
    header(name: string, isGivenBy: AskedBy['hasHeader']): boolean {
      if (isGivenBy(name)) return false;
      headers.set(name, '1');
      return true;
    },
    /** Whether it is asked for in the client's place: not where the client did, whatever it asked. */
    flag(name: string): boolean {
      if (isGiven(body, name)) return false;
      members.set(name, 'true');
      return true;
    },
    /** Names of what is filled in by it. Fields that need it are refused without it, and would not be with it. */
    chatLogprobs(): string[] {
      if (isGiven(body, 'logprobs') || isGiven(body, 'top_logprobs') || isGiven(body, 'logprob_token_ids')) return [];
      members.set('logprobs', 'true');
      return ['logprobs'];
    },
    /** 0: the logprob of what was sampled, and no others. */
    completionLogprobs(): string[] {
      const text = textOf(body, 'logprobs');
      if ((text !== null && text !== 'null') || isGiven(body, 'logprob_token_ids')) return [];
      members.set('logprobs', '0');
      return ['logprobs'];
    },
    done: (cut: CutRule): Asking => ({ members, headers, cut, emptySaysNothing: false }),
  };
}

function eachWith(names: readonly string[], absent: Absent): CutRule {
  return { each: { members: all(names, absent) } };
}

function all(names: readonly string[], absent: Absent): Map<string, Absent> {
  return new Map(names.map((name) => [name, absent]));
}

function isTrue(body: BodyObject, name: string): boolean {
  return textOf(body, name) === 'true';
}

/** Neither absent nor null, false, 0. */
function isGiven(body: BodyObject, name: string): boolean {
  const text = textOf(body, name);
  return text !== null && text !== 'null' && text !== 'false' && text !== '0';
}
