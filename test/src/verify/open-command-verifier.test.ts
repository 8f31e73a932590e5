import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type CommandVerifier, openCommandVerifier } from '../../../src/verify/open-command-verifier.ts';
import type { Verifier, VerifierAnswer } from '../../../src/verify/verifier.ts';
import { sampleInput } from './sample-input.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-verifier-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const opened: Verifier[] = [];
afterEach(async () => {
  for (const verifier of opened.splice(0)) await verifier.close();
});

/** `say` runs for each request line; `starts` counts the processes in a file. */
async function open(name: string, say: string, options: Partial<CommandVerifier> = {}): Promise<Verifier> {
  const file = join(folder, `${name}.mjs`);
  writeFileSync(
    file,
    `import { appendFileSync } from 'node:fs';
     import { createInterface } from 'node:readline';
     appendFileSync(${JSON.stringify(`${file}.starts`)}, '.');
     const out = (text) => process.stdout.write(text);
     createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, input } = JSON.parse(line);
       ${say}
     });`,
  );
  return openFile(file, options);
}

async function openFile(file: string, options: Partial<CommandVerifier> = {}): Promise<Verifier> {
  const verifier = await openCommandVerifier({
    argv: [process.execPath, file],
    ...{ processes: 1, timeoutMs: 20_000, scorer: 'tests', version: '1', path: process.env.PATH },
    log: pino({ level: 'silent' }),
    sleep: async () => {},
    ...options,
  });
  opened.push(verifier);
  return verifier;
}

function startsOf(name: string): number {
  return readFileSync(join(folder, `${name}.mjs.starts`), 'utf8').length;
}

function ask(verifier: Verifier, response = '42'): Promise<VerifierAnswer> {
  return verifier.verify(sampleInput({ final_response: response }), new AbortController().signal);
}

describe('a command', () => {
  it('is one process for many attempts', async () => {
    const verifier = await open('good', `out(JSON.stringify({ id, reward: Number(input.final_response) }) + '\\n');`);
    for (const n of [1, 2, 3]) expect(await ask(verifier, String(n))).toMatchObject({ rewards: { reward: n } });
    expect(startsOf('good')).toBe(1);
  });

  it('runs as many processes as are wanted, and no more', async () => {
    const verifier = await open('two', `out(JSON.stringify({ id, reward: Number(input.final_response) }) + '\\n');`, {
      processes: 2,
    });
    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => ask(verifier, String(n))));
    expect(answers.map(({ rewards }) => rewards.reward)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(startsOf('two')).toBe(2);
  });

  it('may answer without ids, in order', async () => {
    const verifier = await open('unnamed', `out(JSON.stringify({ reward: Number(input.final_response) }) + '\\n');`);
    for (const n of [1, 2]) expect(await ask(verifier, String(n))).toMatchObject({ rewards: { reward: n } });
  });

  it('may end after each answer, with or without a line end', async () => {
    const say = `process.stdout.write(JSON.stringify({ reward: 1 }) + (input.final_response === 'a' ? '' : '\\n'), () => process.exit(0));`;
    const verifier = await open('one-shot', say);
    for (const response of ['a', 'b', 'a', 'b'])
      expect(await ask(verifier, response)).toMatchObject({ status: 'scored', rewards: { reward: 1 } });
  });
});

describe('what goes wrong is a status with the reason, and the next attempt is judged', () => {
  const good = `out(JSON.stringify({ id, reward: 1 }) + '\\n')`;
  const cases: readonly (readonly [name: string, say: string, status: string, reason: RegExp])[] = [
    ['crash', `console.error('no such module'); process.exit(3)`, 'crash', /exit code 3: no such module/],
    ['signal', `process.kill(process.pid, 'SIGKILL')`, 'crash', /signal SIGKILL/],
    ['garbage', `out('<html>\\n')`, 'parse_error', /no JSON document: <html>/],
    ['nan', `out('{"id":"' + id + '","reward":NaN}\\n')`, 'parse_error', /NaN is no number/],
    ['text', `out('{"id":"' + id + '","reward":"1"}\\n')`, 'parse_error', /finite number/],
    ['array', `out('[1]\\n')`, 'parse_error', /no object/],
    [
      'two',
      `out('{"id":"' + id + '","reward":1}\\n{"id":"' + id + '","reward":0}\\n')`,
      'parse_error',
      /two documents/,
    ],
    ['two-unnamed', `out('{"reward":1}\\n{"reward":0}\\n')`, 'parse_error', /two documents/],
    ['other-id', `out('{"id":"x","reward":1}\\n')`, 'parse_error', /answered for the id "x"/],
    [
      'endless',
      `const some = 'x'.repeat(1 << 20); const more = () => process.stdout.write(some, more); more()`,
      'parse_error',
      /more than 1048576 bytes/,
    ],
    ['half', `process.stdout.write('{"id":', () => process.exit(0))`, 'parse_error', /no JSON document/],
  ];
  for (const [name, say, status, reason] of cases) {
    it(name, async () => {
      const verifier = await open(name, `if (input.final_response === 'bad') { ${say} } else ${good};`);
      expect(await ask(verifier)).toMatchObject({ status: 'scored' });
      const answer = await ask(verifier, 'bad');
      expect(answer).toMatchObject({ status, rewards: {} });
      expect(answer.report).toMatch(reason);
      expect(await ask(verifier)).toMatchObject({ status: 'scored', rewards: { reward: 1 } });
    });
  }

  it('a second answer that comes late is told from the next one by its id', async () => {
    const say = `out('{"id":"' + id + '","reward":7}\\n'); if (input.final_response === 'bad') globalThis.late = id;
      else if (globalThis.late) { }`;
    const verifier = await open(
      'late-second',
      `if (globalThis.late) out('{"id":"' + globalThis.late + '","reward":9}\\n'); ${say}`,
    );
    expect(await ask(verifier, 'bad')).toMatchObject({ rewards: { reward: 7 } });
    expect(await ask(verifier)).toMatchObject({ status: 'scored', rewards: { reward: 7 } });
    expect(startsOf('late-second')).toBe(2);
  });

  it('hang: it is killed with all that it has started', async () => {
    const pid = join(folder, 'grandchild');
    const say = `import('node:child_process').then(({ spawn }) => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      appendFileSync(${JSON.stringify(pid)}, child.pid + '\\n');
    })`;
    const verifier = await open('hang', say, { timeoutMs: 1_500 });
    const answer = await ask(verifier);
    expect(answer).toMatchObject({ status: 'timeout', rewards: {}, report: 'no answer within 1500 ms' });
    await verifier.close();
    const started = readFileSync(pid, 'utf8').trim().split('\n').map(Number);
    expect(started.length).toBeGreaterThan(0);
    // A process that was killed stays in the table until its parent has looked; whoever adopts it does.
    for (const child of started) await expect.poll(() => isRunning(child)).toBe(false);
  });

  it('an attempt that crashes it is asked once more, and no oftener', async () => {
    const verifier = await open('poison', 'process.exit(1)');
    expect(await ask(verifier)).toMatchObject({ status: 'crash' });
    expect(startsOf('poison')).toBe(2);
  });
});

describe('a command that is no verifier ends the run, not each attempt', () => {
  it('that does not exist', async () => {
    const verifier = await openFile('x', { argv: [join(folder, 'nowhere')] });
    await expect(ask(verifier)).rejects.toMatchObject({ code: 'RS_CONFIG', facts: { field: 'verifier' } });
  });

  it('that ends at once, after so many starts', async () => {
    const file = join(folder, 'ends.mjs');
    writeFileSync(
      file,
      `import { appendFileSync } from 'node:fs'; appendFileSync('${file}.starts', '.'); process.exit(2)`,
    );
    const verifier = await openFile(file);
    let failure: unknown = null;
    for (let n = 0; n < 50 && failure === null; n++)
      await ask(verifier).catch((error: unknown) => {
        failure = error;
      });
    expect(failure).toMatchObject({ code: 'RS_CONFIG', message: expect.stringContaining('exit code 2') });
    expect(startsOf('ends')).toBe(10);
  });
});

describe('its names', () => {
  const hello = (version: string) => `out(JSON.stringify({ scorer: 'math', version: '${version}' }) + '\\n');`;
  const answers = `createInterface({ input: process.stdin }).on('line', (line) => out(JSON.stringify({ id: JSON.parse(line).id, reward: 1 }) + '\\n'));`;
  const head = `import { createInterface } from 'node:readline'; const out = (text) => process.stdout.write(text);`;

  it('are those of its first line', async () => {
    const file = join(folder, 'hello.mjs');
    writeFileSync(file, `${head} ${hello('2.1')} ${answers}`);
    const verifier = await openFile(file, { scorer: null, version: null, helloMs: 20_000 });
    expect(verifier).toMatchObject({ scorer: 'math', version: '2.1' });
    expect(await ask(verifier)).toMatchObject({ status: 'scored' });
  });

  it('are those that a person gives, before those', async () => {
    const verifier = await openFile(join(folder, 'hello.mjs'), { scorer: 'mine', version: null, helloMs: 20_000 });
    expect(verifier).toMatchObject({ scorer: 'mine', version: '2.1' });
  });

  it('change with the file where it says none', async () => {
    const versions: string[] = [];
    for (const text of ['// one', '// two', '// one']) {
      const file = join(folder, 'silent.mjs');
      writeFileSync(file, `${head} ${answers} ${text}`);
      const verifier = await openFile(file, { scorer: null, version: null, helloMs: 0 });
      expect(verifier.scorer).toBe('verifier');
      versions.push(verifier.version);
    }
    expect(new Set(versions).size).toBe(2);
    expect(versions[0]).toBe(versions[2]);
  });

  it('that are said too late are not mixed with others: it ends', async () => {
    const verifier = await openFile(join(folder, 'hello.mjs'), { scorer: null, version: null, helloMs: 0 });
    await expect(ask(verifier)).rejects.toMatchObject({
      code: 'RS_CONFIG',
      message: expect.stringContaining('calls itself math 2.1'),
    });
  });
});

function isRunning(pid: number): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /, '');
    return !state.startsWith('Z');
  } catch {
    return false;
  }
}
