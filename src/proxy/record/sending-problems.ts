import type { Answer } from '../../../clients/typescript/post.ts';

export type Say = (level: 'warn' | 'info', message: string) => void;

export interface SendingProblems {
  /** What the server said to events of a run; `run`: null: of several. */
  answered(run: string | null, answer: Answer): void;
}

/** A server that is busy, or begins anew, is no problem yet. */
const PATIENCE_MS = 10_000;
/** Of the run, not of the server: forbidden, closed. */
const OF_RUN = /^HTTP (?:403|409)\b/;
const CODE = /"code":\s*"(\w+)"/;
const ERROR = /^(HTTP \d+): \{"error":\{"code":"(\w+)","message":("(?:[^"\\]|\\.)*")/;

/** Of an answer in our server's form, its code and message. */
export function inShort(why: string): string {
  const [, status, code, message] = ERROR.exec(why) ?? [];
  return message === undefined ? why : `${status} ${code}: ${JSON.parse(message)}`;
}

/** Says once that a run is refused, by kind, or that the server is away, and once that it goes on. `now`: a monotonic clock, in ms. */
export function createSendingProblems(say: Say, now: () => number): SendingProblems {
  const refused = new Map<string | null, string>();
  let awaySinceMs: number | null = null;
  let isSaid = false;

  function away(why: string): void {
    awaySinceMs ??= now();
    if (isSaid || now() - awaySinceMs < PATIENCE_MS) return;
    isSaid = true;
    say('warn', `the server takes no events, which wait: ${inShort(why)}`);
  }

  function there(): void {
    if (isSaid) say('info', 'the server answers again');
    awaySinceMs = null;
    isSaid = false;
  }

  return {
    answered(run, answer) {
      const isOfRun = answer.kind === 'later' && OF_RUN.test(answer.why);
      if (answer.kind === 'later' && !isOfRun) return away(answer.why);
      there();
      const named = run === null ? 'several runs' : `run ${JSON.stringify(run)}`;
      if (answer.kind === 'later') {
        const kind = CODE.exec(answer.why)?.[1] ?? answer.why.slice(0, 'HTTP 409'.length);
        if (refused.get(run) === kind) return;
        refused.set(run, kind);
        say('warn', `events of ${named} are refused, and wait: ${inShort(answer.why)}`);
      } else if (refused.delete(run)) say('info', `events of ${named} are taken again`);
    },
  };
}
