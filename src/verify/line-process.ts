import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';

/** A process that is spoken to by lines. It is alone in its group, so that what it starts ends with it. */
export interface LineProcess {
  write(line: string): void;
  /** Kills it and all that it has started. */
  kill(): void;
  /** Resolves when it has ended and all it wrote was heard; never rejects. */
  readonly ended: Promise<ProcessEnd>;
}

export interface ProcessEnd {
  /** In words, such as "exit code 1". */
  readonly how: string;
  /** It ended by itself, without complaint. */
  readonly isClean: boolean;
  /** It could not be started: there is no such program. */
  readonly notStarted: boolean;
  /** The last it wrote to stderr. */
  readonly stderr: string;
}

export interface LineProcessEvents {
  /** `more`: behind it more is there already. The last may have no line end. */
  line(text: string, more: boolean): void;
  /** A line grew longer than that; nothing more is heard. */
  tooLong(): void;
  /** A line of stderr. */
  stderr(text: string): void;
}

const STDERR_CHARACTERS = 2_000;
/** What was written before the end is there by then. */
const LINGER_MS = 1_000;

export function startLineProcess(argv: readonly string[], mostBytes: number, events: LineProcessEvents): LineProcess {
  const [program = '', ...args] = argv;
  const child = spawn(program, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let deaf = false;
  hearLines(child, mostBytes, {
    line: (text, more) => {
      if (!deaf) events.line(text, more);
    },
    tooLong() {
      if (deaf) return;
      deaf = true;
      events.tooLong();
    },
  });
  const tail = hearStderr(child, events.stderr);
  // It may end before it has read what it is told.
  child.stdin.on('error', () => {});
  const killGroup = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // Its group has ended.
    }
  };
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ how: error.message, isClean: false, notStarted: true, stderr: tail() });
    });
    // What it started may hold its stdout open for ever, in a group of its own even.
    child.on('exit', () => {
      killGroup();
      setTimeout(() => [child.stdout, child.stderr].map((stream) => stream.destroy()), LINGER_MS).unref();
    });
    child.on('close', (code, signal) => {
      const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
      resolve({ how, isClean: code === 0, notStarted: false, stderr: tail() });
    });
  });
  return {
    write: (line) => void child.stdin.write(`${line}\n`),
    kill() {
      deaf = true;
      killGroup();
    },
    ended,
  };
}

function hearLines(
  { stdout }: ChildProcessWithoutNullStreams,
  mostBytes: number,
  { line, tooLong }: Pick<LineProcessEvents, 'line' | 'tooLong'>,
): void {
  let parts: Buffer[] = [];
  let bytes = 0;
  stdout.on('data', (chunk: Buffer) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const text = Buffer.concat([...parts, rest.subarray(0, end)]).toString('utf8');
      parts = [];
      bytes = 0;
      rest = rest.subarray(end + 1);
      line(text, rest.toString('latin1').trim() !== '');
    }
    bytes += rest.length;
    if (bytes > mostBytes) {
      parts = [];
      tooLong();
      stdout.destroy();
    } else if (rest.length > 0) parts.push(rest);
  });
  stdout.on('end', () => {
    if (bytes > 0) line(Buffer.concat(parts).toString('utf8'), false);
  });
}

/** Tells lines of it; answers with the last of it. */
function hearStderr({ stderr }: ChildProcessWithoutNullStreams, tell: (text: string) => void): () => string {
  const decoder = new StringDecoder('utf8');
  let last = '';
  let unfinished = '';
  stderr.on('data', (chunk: Buffer) => {
    const text = decoder.write(chunk);
    last = (last + text).slice(-STDERR_CHARACTERS);
    const lines = (unfinished + text).split('\n');
    unfinished = (lines.pop() ?? '').slice(-STDERR_CHARACTERS);
    for (const line of lines) tell(line.slice(0, STDERR_CHARACTERS));
  });
  return () => last.trim();
}
