import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/simulate/random.ts';

const ROUTES = ['generate', 'completions', 'chat'] as const;
const MOST_TURNS = 3;
/** As clients wait before they ask again. */
const PAUSE_MS = 25;

export type Route = (typeof ROUTES)[number];

/** What a client had of one request. */
export interface Try {
  /** Of the engine, in every chunk; null: it had none. */
  readonly requestId: string | null;
  /** Ids that stood in whole chunks; null: it asked for none, and has only their text. */
  readonly ids: readonly number[] | null;
  readonly text: string;
  readonly how: 'whole' | 'cut' | 'aborted' | 'refused';
}

export interface Played {
  readonly rollout: string;
  /** Of the engine's script. */
  readonly task: number;
  readonly route: Route;
  readonly tries: readonly Try[];
}

export interface StreamingClient {
  readonly url: string;
  readonly run: string;
  readonly encode: (text: string) => Iterable<number>;
  /** How often a client leaves in the middle of a stream. */
  readonly aborts: number;
  /** A chunk came. */
  readonly onChunk: () => void;
}

/** One rollout, all of whose calls are streams. A call that gave no whole answer is made again, or gone on from with what there is of it. */
export async function playStreamed(client: StreamingClient, task: number, random: Random): Promise<Played> {
  const rollout = `r-${task}`;
  const route = random.pick(ROUTES);
  // One that does not ask for ids sees none, though they are recorded.
  const asksIds = route === 'generate' || random.chance(0.6);
  const marker = `[[rollstream:random#${task}]]`;
  const messages: object[] = [{ role: 'user', content: marker }];
  const ids = [...client.encode(`<|im_start|>user\n${marker}<|im_end|>\n<|im_start|>assistant\n`)];
  const tries: Try[] = [];
  for (let turns = random.whole(1, MOST_TURNS); turns > 0; ) {
    const body = bodyOf(route, ids, messages, asksIds);
    const abortAfter = random.chance(client.aborts) ? random.whole(1, 40) : null;
    const tried = await ask(client, rollout, { route, body, abortAfter, asksIds });
    tries.push(tried);
    const goesOn = tried.how === 'whole' || (tried.text !== '' && random.chance(0.3));
    if (!goesOn) {
      await sleep(PAUSE_MS);
      continue;
    }
    turns -= 1;
    const said = `more: ${random.whole(0, 999)}`;
    messages.push({ role: 'assistant', content: tried.text }, { role: 'user', content: said });
    ids.push(...(tried.ids ?? client.encode(tried.text)));
    ids.push(...client.encode(`<|im_start|>user\n${said}<|im_end|>\n<|im_start|>assistant\n`));
  }
  await end(client, rollout);
  return { rollout, task, route, tries };
}

function bodyOf(route: Route, ids: readonly number[], messages: readonly object[], asksIds: boolean): object {
  if (route === 'generate') return { input_ids: ids, stream: true, return_logprob: true };
  const asked = { model: 'm', stream: true, ...(asksIds ? { return_token_ids: true } : {}) };
  return route === 'chat' ? { ...asked, messages } : { ...asked, prompt: ids, max_tokens: 512 };
}

interface Asked {
  readonly route: Route;
  readonly body: object;
  /** Chunks; null: it stays. */
  readonly abortAfter: number | null;
  readonly asksIds: boolean;
}

const PATHS = { generate: '/generate', completions: '/v1/completions', chat: '/v1/chat/completions' };

async function ask({ url, run, onChunk }: StreamingClient, rollout: string, asked: Asked): Promise<Try> {
  let has: Omit<Try, 'how'> = { requestId: null, ids: asked.asksIds ? [] : null, text: '' };
  const seen = { chunks: 0, isDone: false, isAborted: false };
  const status = await posted(`${url}/r/${run}/${rollout}${PATHS[asked.route]}`, asked.body, (event) => {
    if (event === 'data: [DONE]') seen.isDone = true;
    else has = grown(has, JSON.parse(event.slice('data: '.length)));
    seen.chunks += 1;
    onChunk();
    seen.isAborted ||= seen.chunks === asked.abortAfter;
    return !seen.isAborted;
  });
  if (seen.isDone) return { ...has, how: 'whole' };
  if (seen.isAborted) return { ...has, how: 'aborted' };
  return { ...has, how: status === 200 ? 'cut' : 'refused' };
}

/** The status, once the connection gives nothing any more; null: there was no answer. `heard`: whether it stays for what comes after the event. */
function posted(url: string, body: object, heard: (event: string) => boolean): Promise<number | null> {
  return new Promise((resolve) => {
    let status: number | null = null;
    const headers = { 'content-type': 'application/json' };
    const request = http.request(url, { method: 'POST', headers }, (answer) => {
      status = answer.statusCode ?? null;
      let rest = '';
      let stays = true;
      answer.setEncoding('utf8').on('data', (text: string) => {
        const events = (rest + text).split('\n\n');
        rest = events.pop() ?? '';
        if (status !== 200) return;
        for (const event of events) stays &&= heard(event);
        if (!stays) request.destroy();
      });
      answer.on('error', () => undefined);
    });
    request.on('error', () => undefined);
    request.once('close', () => resolve(status));
    request.end(JSON.stringify(body));
  });
}

interface Chunk {
  readonly id?: string;
  readonly text?: string;
  readonly output_ids?: readonly number[];
  readonly meta_info?: { readonly id: string };
  readonly choices?: ReadonlyArray<{
    readonly text?: string;
    readonly delta?: { readonly content?: string | null };
    readonly token_ids?: readonly number[] | null;
  }>;
}

/** Chunks of `/generate` tell all so far, the others what is new. */
function grown(has: Omit<Try, 'how'>, chunk: Chunk): Omit<Try, 'how'> {
  if (chunk.meta_info !== undefined) {
    return { requestId: chunk.meta_info.id, ids: chunk.output_ids ?? [], text: chunk.text ?? '' };
  }
  const choice = chunk.choices?.[0];
  return {
    requestId: chunk.id ?? has.requestId,
    ids: has.ids === null ? null : [...has.ids, ...(choice?.token_ids ?? [])],
    text: has.text + (choice?.text ?? choice?.delta?.content ?? ''),
  };
}

/** Until it is answered; one that was heard, and not answered, has ended it. */
async function end({ url, run }: StreamingClient, rollout: string): Promise<void> {
  const body = JSON.stringify({ reason: 'task_complete', system: 'my-loop', run_id: run });
  for (let isRepeated = false; ; isRepeated = true) {
    const answer = await fetch(`${url}/v1/rollouts/${rollout}/end`, { method: 'POST', body }).catch(() => null);
    if (answer?.status === 200 || (answer?.status === 404 && isRepeated)) return;
    if (answer !== null && answer.status !== 503) throw new Error(`${answer.status}: ${await answer.text()}`);
    await sleep(PAUSE_MS);
  }
}
