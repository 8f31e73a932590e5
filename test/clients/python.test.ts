import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { findPython, pythonWith } from '../python-with.ts';

const client = packageFile('clients', 'python');
const run = promisify(execFile);

/** The client and what its tests need, anew when its pyproject.toml is another. */
async function environmentOf(python: string): Promise<string> {
  return pythonWith(python, ['-e', `${client}[test]`], await readFile(join(client, 'pyproject.toml'), 'utf8'));
}

/** What it printed; null: it ended well. Nothing is left in the tree. */
async function complaints(python: string, args: readonly string[]): Promise<string | null> {
  const program = process.env.PROGRAM_UNDER_TEST ?? packageFile('dist', 'src', 'cli', 'main.js');
  const env = { ...process.env, PYTHONDONTWRITEBYTECODE: '1', ROLLSTREAM_TEST_PROGRAM: program };
  const options = { cwd: client, env, maxBuffer: 16 * 1024 * 1024 };
  return run(python, ['-m', ...args], options).then(
    () => null,
    (error: { stdout?: string; stderr?: string; message: string }) =>
      `${error.stdout ?? ''}${error.stderr ?? ''}` || error.message,
  );
}

const found = await findPython();
const why = found === null ? 'there is no Python 3.10 or newer' : null;
const python = found === null ? null : await environmentOf(found).catch((error: Error) => error);

if (typeof python === 'string') {
  describe('the Python client', () => {
    it('does what its tests say', async () => {
      expect(await complaints(python, ['pytest', '-p', 'no:cacheprovider'])).toBeNull();
    });

    it('has types that hold', async () => {
      expect(
        await complaints(python, ['mypy', '--strict', '--cache-dir', join(python, '..', '..', 'mypy')]),
      ).toBeNull();
    });

    it('is clean', async () => {
      expect(await complaints(python, ['ruff', 'check', '--no-cache', 'src', 'tests'])).toBeNull();
      expect(await complaints(python, ['ruff', 'format', '--check', '--no-cache', 'src', 'tests'])).toBeNull();
    });

    it('is installed from its folder, with its types', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'rollstream-client-'));
      const install = ['pip', 'install', '-q', '--disable-pip-version-check', '--no-deps', '--target', folder, client];
      try {
        expect(await complaints(python, install)).toBeNull();
        expect(existsSync(join(folder, 'rollstream', 'py.typed'))).toBe(true);
      } finally {
        await rm(folder, { recursive: true });
      }
    });
  });
} else {
  const reason = why ?? `pip cannot install what they need: ${python?.message}`;
  process.stderr.write(`the tests of the Python client do not run: ${reason}\n`);
  it('the tests of the Python client may be left out here', () => {
    expect(process.env.CI, reason).toBeUndefined();
  });
}
