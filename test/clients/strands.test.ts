import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { findPython, pythonWith } from '../python-with.ts';

const client = packageFile('clients', 'python');
const run = promisify(execFile);

/** An environment of its own: what strands-env and verifiers bring along is no business of the client's other tests. */
async function environmentOf(python: string): Promise<string> {
  // Most of what they bring along is never imported: only what is, is compiled, by the tests.
  const packages = ['--no-compile', '-e', `${client}[strands,verifiers]`, 'pytest>=8,<10'];
  return pythonWith(python, packages, await readFile(join(client, 'pyproject.toml'), 'utf8'));
}

/** What pytest says at its end, and all that it printed. Nothing is left in the tree, and nothing is fetched. */
async function tested(python: string): Promise<{ readonly verdict: string; readonly all: string }> {
  const program = process.env.PROGRAM_UNDER_TEST ?? packageFile('dist', 'src', 'cli', 'main.js');
  const env = {
    ...process.env,
    // Compiled once, beside what was installed.
    PYTHONDONTWRITEBYTECODE: '',
    PYTHONPYCACHEPREFIX: join(python, '..', '..', 'pycache'),
    ROLLSTREAM_TEST_PROGRAM: program,
    HF_HUB_OFFLINE: '1',
    TRANSFORMERS_VERBOSITY: 'error',
  };
  // Warnings are those of other projects.
  const folders = ['tests/strands_live', 'tests/verifiers_live'];
  const args = ['-m', 'pytest', '-p', 'no:cacheprovider', '-W', 'default', '--disable-warnings', ...folders];
  const options = { cwd: client, env, maxBuffer: 16 * 1024 * 1024 };
  const all = await run(python, args, options).then(
    ({ stdout }) => stdout,
    (error: { stdout?: string; stderr?: string; message: string }) =>
      `${error.stdout ?? ''}${error.stderr ?? ''}` || error.message,
  );
  return { verdict: all.trimEnd().split('\n').at(-1) ?? '', all };
}

const found = await findPython();
const why = found === null ? 'there is no Python 3.10 or newer' : null;
const python = found === null ? null : await environmentOf(found).catch((error: Error) => error);

if (typeof python === 'string') {
  describe('rollouts of strands-env and verifiers', () => {
    it('arrive as their environments hold them', async () => {
      const { verdict, all } = await tested(python);
      expect(verdict, all).toMatch(/^\d+ passed(, \d+ warnings?)? in /);
    });
  });
} else {
  const reason = why ?? `pip cannot install them: ${python?.message}`;
  process.stderr.write(`rollouts of strands-env and verifiers are not tested: ${reason}\n`);
  it('rollouts of strands-env and verifiers may be left out here', () => {
    expect(process.env.CI, reason).toBeUndefined();
  });
}
