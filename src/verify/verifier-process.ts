import type { Logger } from 'pino';
import { isJsonObject, parsedJson } from '../export/parsed-json.ts';
import { type Answer, answerOfText, fault } from './answer-of.ts';
import { boundedText } from './bounded-text.ts';
import { type LineProcess, type ProcessEnd, startLineProcess } from './line-process.ts';

/** What came of one request. Behind anything but `isInStep: true` the process is gone. */
export type Asked =
  | { readonly kind: 'answered'; readonly answer: Answer; readonly isInStep: boolean }
  /** It ended, before it wrote anything. */
  | { readonly kind: 'ended'; readonly end: ProcessEnd }
  /** It wrote what belongs to an earlier request: this one was not heard. */
  | { readonly kind: 'out_of_step' };

export interface Hello {
  readonly scorer: string | null;
  readonly version: string | null;
}

export interface VerifierProcess {
  /** One at a time. Killed when it takes longer than `timeoutMs`, or `signal` is aborted: a fault then. */
  ask(id: string, request: string, timeoutMs: number, signal: AbortSignal): Promise<Asked>;
  /** Requests that it has answered readably. */
  answered(): number;
  isAlive(): boolean;
  kill(): void;
  readonly ended: Promise<ProcessEnd>;
}

const MOST_ANSWER_BYTES = 2 ** 20;
/** Lines of stderr of one process that are logged. */
const MOST_LOGGED = 100;
/**
 * An answer that repeats no id is taken only when no second one follows so soon: 1 it writes two documents for request 7; 2 the second
 * is read as the answer to 8, and everything after is off by one.
 */
const UNNAMED_MS = 10;

/** One process of a command verifier; `hello` is called with the line that names it, where there is one, before any answer. */
export function startVerifierProcess(
  argv: readonly string[],
  { log, hello }: { readonly log: Logger; readonly hello: (said: Hello) => void },
): VerifierProcess {
  let asked: { readonly id: string; readonly settle: (outcome: Asked) => void } | null = null;
  let held: NodeJS.Timeout | null = null;
  let lastId: string | null = null;
  let isFirst = true;
  let answered = 0;
  let isAlive = true;
  let logged = 0;

  const settle = (outcome: Asked): void => {
    if (held !== null) clearTimeout(held);
    held = null;
    const { id, settle: tell } = asked ?? {};
    asked = null;
    lastId = id ?? lastId;
    if (outcome.kind !== 'answered' || !outcome.isInStep) kill();
    else answered += 1;
    tell?.(outcome);
  };
  const wrong = (why: string): void => settle({ kind: 'answered', answer: fault('parse_error', why), isInStep: false });

  const process: LineProcess = startLineProcess(argv, MOST_ANSWER_BYTES, {
    line(text, more) {
      const said = isFirst ? helloOf(text) : null;
      isFirst = false;
      if (said !== null) return hello(said);
      if (text.trim() === '') return;
      // Nobody has asked: what it says next would be taken for another answer.
      if (asked === null) return kill();
      const { id, answer } = answerOfText(text);
      if (id !== undefined && id === lastId) return settle({ kind: 'out_of_step' });
      if (more || held !== null) return wrong(`it answered with two documents, the second: ${boundedText(text, 200)}`);
      if (id !== undefined && id !== asked.id)
        return wrong(`it answered for the id ${boundedText(JSON.stringify(id), 100)}, and ${asked.id} was asked`);
      const isInStep = id !== undefined || answer.status !== 'parse_error';
      if (id !== undefined || !isInStep) return settle({ kind: 'answered', answer, isInStep });
      held = setTimeout(() => settle({ kind: 'answered', answer, isInStep }), UNNAMED_MS);
    },
    tooLong: () => (asked === null ? kill() : wrong(`it answered with more than ${MOST_ANSWER_BYTES} bytes`)),
    stderr(text) {
      logged += 1;
      if (logged <= MOST_LOGGED) log.warn({ stderr: text }, 'the verifier says');
      if (logged === MOST_LOGGED) log.warn('what else this process of the verifier says is not logged');
    },
  });

  function kill(): void {
    isAlive = false;
    process.kill();
  }

  void process.ended.then((end) => {
    isAlive = false;
    // An answer that is held has been written whole.
    if (asked !== null && held === null) settle({ kind: 'ended', end });
  });

  return {
    ask(id, request, timeoutMs, signal) {
      return new Promise((resolve) => {
        const late = () => {
          const why = `no answer within ${timeoutMs} ms`;
          settle({ kind: 'answered', answer: fault('timeout', why), isInStep: false });
        };
        const timer = setTimeout(late, timeoutMs);
        const stop = () => settle({ kind: 'answered', answer: fault('crash', 'it was interrupted'), isInStep: false });
        signal.addEventListener('abort', stop);
        asked = {
          id,
          settle(outcome) {
            clearTimeout(timer);
            signal.removeEventListener('abort', stop);
            resolve(outcome);
          },
        };
        if (signal.aborted) stop();
        else process.write(request);
      });
    },
    answered: () => answered,
    isAlive: () => isAlive,
    kill,
    ended: process.ended,
  };
}

/** The line by which a command names itself; null: it is an answer. */
function helloOf(text: string): Hello | null {
  const value = parsedJson(text);
  if (!isJsonObject(value)) return null;
  const { scorer, version } = value;
  if (['id', 'reward', 'rewards', 'status', 'refuse'].some((field) => value[field] !== undefined)) return null;
  const named = (name: unknown): string | null => (typeof name === 'string' && name !== '' ? name : null);
  const said = { scorer: named(scorer), version: named(version) };
  return said.scorer === null && said.version === null ? null : said;
}
