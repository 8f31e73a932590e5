import { createRequire } from 'node:module';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { RollstreamError } from '../errors.ts';

/** Hugging Face's own tokenizer, whole, answering at once though its binding is asynchronous: it runs on a thread of its own. */
export interface LibraryThread {
  /** Throws a RangeError on a text that is too long for it. */
  readonly encode: (text: string) => Uint32Array;
  readonly decode: (ids: readonly number[]) => string;
  readonly close: () => void;
}

/** Longer than the longest text takes; what is over it is stuck. */
const LIMIT_MS = 600_000;
/** Its regular expressions end the process after 10,000,000 steps back, of which a pattern may take two a character. */
const MOST_CHARACTERS = 4_000_000;

/** Text, so that it runs whether or not what surrounds it was compiled. */
const PROGRAM = `
const { workerData } = require('node:worker_threads');
const { Tokenizer } = require(workerData.library);
const { port, signal } = workerData;
const tokenizer = Tokenizer.fromString(workerData.text);
const answer = async ({ text, ids }) => {
  if (ids !== undefined) return tokenizer.decode(ids, false);
  const encoding = await tokenizer.encode(text, null, { addSpecialTokens: false });
  return Uint32Array.from(encoding.getIds());
};
port.on('message', async (asked) => {
  let reply;
  try {
    reply = { value: await answer(asked) };
  } catch (error) {
    reply = { error: String(error) };
  }
  port.postMessage(reply);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
});
`;

/** Starts with the first question. `text` is a tokenizer.json that the library has accepted. */
export function createLibraryThread(text: string): LibraryThread {
  let thread: { worker: Worker; ask: (question: object) => unknown } | null = null;
  const ask = (question: object): unknown => {
    thread ??= startThread(text);
    return thread.ask(question);
  };
  return {
    encode: (asked) => {
      if (asked.length > MOST_CHARACTERS)
        throw new RangeError(`the tokenizer takes at most ${MOST_CHARACTERS} characters, and got ${asked.length}`);
      const ids = ask({ text: asked });
      if (!(ids instanceof Uint32Array)) throw new TypeError('the library gave no ids');
      return ids;
    },
    decode: (ids) => {
      const answer = ask({ ids });
      if (typeof answer !== 'string') throw new TypeError('the library gave no text');
      return answer;
    },
    close: () => {
      void thread?.worker.terminate();
      thread = null;
    },
  };
}

function startThread(text: string): { worker: Worker; ask: (question: object) => unknown } {
  const { port1: near, port2: far } = new MessageChannel();
  const signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const library = createRequire(import.meta.url).resolve('tokenizers');
  const worker = new Worker(PROGRAM, {
    eval: true,
    workerData: { text, library, signal, port: far },
    transferList: [far],
  });
  // It waits for questions and must keep nobody from ending.
  worker.unref();
  near.unref();
  return {
    worker,
    ask: (question) => {
      Atomics.store(signal, 0, 0);
      near.postMessage(question);
      if (Atomics.wait(signal, 0, 0, LIMIT_MS) === 'timed-out')
        throw new RollstreamError('RS_INTERNAL', `the tokenizer library did not answer within ${LIMIT_MS} ms`);
      const reply: unknown = receiveMessageOnPort(near)?.message;
      if (typeof reply !== 'object' || reply === null || !('value' in reply))
        throw new RollstreamError('RS_INTERNAL', `the tokenizer library failed: ${textOf(reply)}`);
      return reply.value;
    },
  };
}

function textOf(reply: unknown): string {
  return typeof reply === 'object' && reply !== null && 'error' in reply ? String(reply.error) : 'no answer';
}
