import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { RollstreamError } from '../../errors.ts';
import { RENDER_WORKER_TEXT } from './render-worker-text.ts';

/** A conversation, as Hugging Face's `apply_chat_template` takes it. */
export interface RenderInput {
  readonly messages: readonly unknown[];
  readonly tools?: readonly unknown[] | null;
  readonly addGenerationPrompt?: boolean;
  /** Variables of the template, such as enable_thinking. */
  readonly vars?: Readonly<Record<string, unknown>>;
}

export interface Rendered {
  readonly text: string;
  /** It wrote today's date: what was rendered on another day was another text. */
  readonly askedForToday: boolean;
}

export interface Renderer {
  /** One after the other. Throws RS_TEMPLATE_FAILED where the template throws, and RS_TEMPLATE_LIMIT where it does not end. */
  readonly render: (input: RenderInput) => Promise<Rendered>;
  readonly close: () => Promise<void>;
}

export interface RendererLimits {
  readonly timeMs: number;
  readonly memoryMb: number;
}

const DEFAULT_LIMITS: RendererLimits = { timeMs: 2_000, memoryMb: 256 };
const MOST_CHARACTERS = 64 * 1024 * 1024;
const START_MS = 10_000;

/** Token texts that templates name, and no other part of tokenizer_config.json. */
const TOKEN_VARIABLES = ['bos_token', 'eos_token', 'pad_token', 'unk_token'];

export function createRenderer(
  template: string,
  config: Readonly<Record<string, unknown>>,
  limits: Partial<RendererLimits> = {},
): Renderer {
  const { timeMs, memoryMb } = { ...DEFAULT_LIMITS, ...limits };
  const tokens = Object.fromEntries(TOKEN_VARIABLES.map((name) => [name, tokenText(config[name])]));
  let worker: Worker | null = null;
  let last: Promise<unknown> = Promise.resolve();

  const start = async (): Promise<Worker> => {
    const engine = createRequire(import.meta.url).resolve('@huggingface/jinja');
    const workerData = { engine, template, mostCharacters: MOST_CHARACTERS };
    const resourceLimits = { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
    // It reads no environment, and nothing of it reaches the terminal.
    const options = { eval: true, workerData, resourceLimits, env: {}, execArgv: [], stdout: true, stderr: true };
    const started = new Worker(RENDER_WORKER_TEXT, options);
    // What comes after the answer, such as running out of memory while it is being ended, has been told.
    started.on('error', () => undefined);
    // Starting is not the template's time.
    await settle(started, 'online', START_MS, 'the render thread');
    return started;
  };

  const renderOne = async ({ messages, tools, addGenerationPrompt, vars }: RenderInput): Promise<Rendered> => {
    worker ??= await start();
    const current = worker;
    current.ref();
    const own = { messages, add_generation_prompt: addGenerationPrompt ?? false };
    const offered = tools === undefined || tools === null || tools.length === 0 ? {} : { tools };
    try {
      const answered = settle(current, 'message', timeMs, 'the template');
      current.postMessage({ context: { ...tokens, ...plain(vars ?? {}), ...plain({ ...offered, ...own }) } });
      const answer = await answered;
      if (isRendered(answer)) return answer;
      const reason = isFailure(answer) ? answer.error : 'it gave no answer';
      throw new RollstreamError('RS_TEMPLATE_FAILED', `the chat template cannot render this: ${reason}`);
    } catch (error) {
      if (error instanceof RollstreamError && error.code === 'RS_TEMPLATE_FAILED') throw error;
      worker = null;
      await current.terminate();
      throw error;
    } finally {
      current.unref();
    }
  };

  return {
    render: (input) => {
      const rendered = last.then(() => renderOne(input));
      last = rendered.catch(() => undefined);
      return rendered;
    },
    close: async () => {
      await last;
      await worker?.terminate();
      worker = null;
    },
  };
}

/** JSON alone crosses: a function or a cycle in a message is no message. */
function plain(value: Record<string, unknown>): Record<string, unknown> {
  return JSON.parse(JSON.stringify(value));
}

/** The next event of a thread, or its failure, or the limit. */
function settle(worker: Worker, event: 'online' | 'message', limitMs: number, what: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const limit = (reason: string, cause?: unknown): void =>
      done(() => reject(new RollstreamError('RS_TEMPLATE_LIMIT', `${what} ${reason}`, { cause })));
    const onEvent = (value?: unknown): void => done(() => resolve(value));
    const onError = (error: Error): void =>
      'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? limit('needs more memory than it may have', error)
        : limit(`broke: ${error.message}`, error);
    const onExit = (): void => limit('ended before it answered');
    const timer = setTimeout(() => limit(`did not end within ${limitMs} ms`), limitMs);
    const done = (settled: () => void): void => {
      clearTimeout(timer);
      worker.off(event, onEvent).off('error', onError).off('exit', onExit);
      settled();
    };
    worker.once(event, onEvent).once('error', onError).once('exit', onExit);
  });
}

/** A token is written as a text or as `{ content }`. */
function tokenText(token: unknown): string {
  if (typeof token === 'string') return token;
  const isRecord = typeof token === 'object' && token !== null && 'content' in token;
  return isRecord && typeof token.content === 'string' ? token.content : '';
}

function isRendered(answer: unknown): answer is Rendered {
  return typeof answer === 'object' && answer !== null && 'text' in answer && typeof answer.text === 'string';
}

function isFailure(answer: unknown): answer is { readonly error: string } {
  return typeof answer === 'object' && answer !== null && 'error' in answer && typeof answer.error === 'string';
}
