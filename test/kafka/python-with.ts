import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Python that has the packages: a virtual environment of its own, kept for the next time. Rejects where there is no Python 3. */
export async function pythonWith(...packages: readonly string[]): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'rollstream', `python-${packages.join('-').replace(/[^\w.-]/g, '')}`);
  const python = join(folder, 'bin', 'python');
  const isWhole =
    existsSync(python) &&
    (await run(python, ['-m', 'pip', 'check']).then(
      () => true,
      () => false,
    ));
  const has = isWhole ? await installed(python) : '';
  if (packages.every((name) => has.includes(`${name.toLowerCase()}==`))) return python;
  await run('python3', ['-m', 'venv', '--clear', folder]);
  await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...packages]);
  return python;
}

async function installed(python: string): Promise<string> {
  return (await run(python, ['-m', 'pip', 'list', '--format', 'freeze'])).stdout.toLowerCase();
}
