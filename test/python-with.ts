import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** One that is 3.10 or later, or null. In CI there has to be one. */
export async function findPython(): Promise<string | null> {
  const named = process.env.ROLLSTREAM_TEST_PYTHON;
  const names = named === undefined ? ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10'] : [named];
  for (const name of names) {
    const asked = await run(name, ['-c', 'import sys, venv; print(sys.version_info >= (3, 10))']).catch(() => null);
    if (asked?.stdout.trim() === 'True') return name;
  }
  if (process.env.CI !== undefined) throw new Error('there is no Python 3.10 or later');
  return null;
}

/** Its interpreter in an environment that has the packages, kept for the next time that they and `besides` are the same. */
export async function pythonWith(python: string, packages: readonly string[], besides = ''): Promise<string> {
  const { stdout: version } = await run(python, ['-c', 'import sys; print(sys.executable, sys.version)']);
  const key = createHash('sha256')
    .update([version, ...packages, besides].join('\n'))
    .digest('hex')
    .slice(0, 16);
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'rollstream');
  const [kept, draft] = [join(cache, `python-${key}`), join(cache, `python-${key}.${process.pid}`)];
  if (!existsSync(kept)) {
    await mkdir(cache, { recursive: true });
    try {
      await run(python, ['-m', 'venv', draft]);
      const pip = ['-m', 'pip', 'install', '-q', '--disable-pip-version-check', ...packages];
      await run(join(draft, 'bin', 'python'), pip);
      await rename(draft, kept);
    } catch (error) {
      await rm(draft, { recursive: true, force: true });
      // Another run was first.
      if (!existsSync(kept)) throw error;
    }
  }
  return join(kept, 'bin', 'python');
}
