import type { Logger } from 'pino';
import { RollstreamError } from '../errors.ts';
import { type Sleep, sleep } from '../lanes/sleep.ts';
import { type Answer, fault } from './answer-of.ts';
import { commandVersion } from './command-version.ts';
import type { Verifier } from './verifier.ts';
import { type Hello, startVerifierProcess, type VerifierProcess } from './verifier-process.ts';

export interface CommandVerifier {
  /** The program and its arguments. No shell is started. */
  readonly argv: readonly string[];
  /** Processes at once, each with one request; one is started when it is needed. */
  readonly processes: number;
  readonly timeoutMs: number;
  /** null: as the command says, else derived. */
  readonly scorer: string | null;
  readonly version: string | null;
  readonly log: Logger;
  /** Where programs are looked for. */
  readonly path: string | undefined;
  /** How long a command that was given no names may take to say its own. */
  readonly helloMs?: number;
  readonly sleep?: Sleep;
}

const HELLO_MS = 2_000;
/** A request that ended in a crash or a time-out is asked once more, of another process. */
const TRIES = 2;
const FIRST_WAIT_MS = 100;
/** Processes in a row that ended without one readable answer: before any has answered, and after. Then there is no verifier. */
const MOST_FRUITLESS = { untried: 10, tried: 100 };

/** A command: each of its processes judges one attempt after the other. */
export async function openCommandVerifier(deps: CommandVerifier): Promise<Verifier> {
  const { argv, processes, timeoutMs, log } = deps;
  const derived = deps.version ?? (await commandVersion(argv, deps.path));
  const idle: VerifierProcess[] = [];
  const alive = new Set<VerifierProcess>();
  const queue: (() => void)[] = [];
  let free = processes;
  let names: { readonly scorer: string; readonly version: string } | null = null;
  let failure: RollstreamError | null = null;
  let isTried = false;
  let fruitless = 0;
  let requests = 0;

  function start(heard: (hello: Hello) => void = checkNames): VerifierProcess {
    const started = startVerifierProcess(argv, {
      log,
      hello(said) {
        isTried = true;
        heard(said);
      },
    });
    alive.add(started);
    void started.ended.then((end) => {
      alive.delete(started);
      if (started.answered() > 0) return;
      fruitless += 1;
      const most = isTried ? MOST_FRUITLESS.tried : MOST_FRUITLESS.untried;
      const said = end.stderr === '' ? '' : `: ${end.stderr}`;
      if (end.notStarted) fail(`the verifier cannot be started: ${end.how}`);
      else if (fruitless >= most)
        fail(`the verifier gave no answer in ${most} starts; the last ended with ${end.how}${said}`);
    });
    return started;
  }

  function fail(message: string): void {
    failure ??= new RollstreamError('RS_CONFIG', message, { facts: { field: 'verifier' } });
  }

  function namesOf(hello: Hello | null): { scorer: string; version: string } {
    const version = deps.version ?? hello?.version ?? derived;
    if (version !== null) return { scorer: deps.scorer ?? hello?.scorer ?? 'verifier', version };
    const message = 'verifier-version: needed, since the command names none and is of no file';
    throw new RollstreamError('RS_USAGE', message, { facts: { field: 'verifier-version' } });
  }

  function checkNames(hello: Hello): void {
    const said = namesOf(hello);
    if (names === null || (said.scorer === names.scorer && said.version === names.version)) return;
    fail(
      `the verifier calls itself ${said.scorer} ${said.version}, and its answers are kept as ${names.scorer} ${names.version}: name it by --scorer and --verifier-version, or let it say its names sooner`,
    );
  }

  async function heardNames(): Promise<{ scorer: string; version: string }> {
    if (deps.scorer !== null && deps.version !== null) return namesOf(null);
    const stopped = new AbortController();
    let heard: Hello | null = null;
    const hello = new Promise<void>((resolve) => {
      const first = start((said) => {
        if (names !== null) return checkNames(said);
        heard = said;
        resolve();
      });
      idle.push(first);
      void first.ended.then(() => resolve());
    });
    await Promise.race([hello, sleep(deps.helloMs ?? HELLO_MS, stopped.signal)]);
    stopped.abort();
    if (failure !== null) throw failure;
    return namesOf(heard);
  }

  async function askOnce(request: (id: string) => string, signal: AbortSignal): Promise<Answer> {
    for (;;) {
      if (failure !== null) throw failure;
      const found = idle.pop();
      const process = found?.isAlive() === true ? found : start();
      const isUsed = process === found;
      requests += 1;
      const id = String(requests);
      const asked = await process.ask(id, request(id), timeoutMs, signal);
      if (asked.kind === 'answered') {
        if (asked.isInStep) {
          isTried = true;
          fruitless = 0;
        }
        if (process.isAlive()) idle.push(process);
        return asked.answer;
      }
      // Between two requests a process may end; and one that is out of step has not heard this one.
      const isAnew = asked.kind === 'out_of_step' || (isUsed && asked.end.isClean && process.answered() > 0);
      if (!isAnew) {
        const { how, stderr } = asked.end;
        return fault('crash', `it ended with ${how}${stderr === '' ? '' : `: ${stderr}`}`);
      }
      if (asked.kind === 'out_of_step') log.warn('the verifier answered a request twice; it is started again');
    }
  }

  async function ask(request: (id: string) => string, signal: AbortSignal): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const answer = await askOnce(request, signal);
      const mayHelp = answer.status === 'crash' || answer.status === 'timeout';
      if (!mayHelp || tries === TRIES || signal.aborted) return answer;
      await (deps.sleep ?? sleep)(FIRST_WAIT_MS * 2 ** (tries - 1), signal);
    }
  }

  async function close(): Promise<void> {
    const all = [...alive];
    for (const process of all) process.kill();
    await Promise.all(all.map(({ ended }) => ended));
  }

  try {
    names = await heardNames();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...names,
    async verify(input, signal) {
      if (free === 0) await new Promise<void>((resolve) => queue.push(resolve));
      else free -= 1;
      const begin = performance.now();
      try {
        const answer = await ask((id) => JSON.stringify({ id, input }), signal);
        if (failure !== null) throw failure;
        return { ...answer, durationMs: performance.now() - begin };
      } finally {
        const next = queue.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
    close,
  };
}
