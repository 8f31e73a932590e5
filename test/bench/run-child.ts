import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** Runs a file of this folder, as a process of its own, and reads the JSON that it prints. */
export async function runChild<T>(name: string, ...args: readonly string[]): Promise<T> {
  const isCompiled = import.meta.url.endsWith('.js');
  const child = fileURLToPath(new URL(isCompiled ? name.replace(/[.]ts$/, '.js') : name, import.meta.url));
  const loader = isCompiled ? [] : ['--import', new URL('../run-typescript.mjs', import.meta.url).href];
  const options = { maxBuffer: 2 ** 26, env: { UV_THREADPOOL_SIZE: '12', ...process.env } };
  const { stdout } = await promisify(execFile)(process.execPath, [...loader, child, ...args], options);
  return JSON.parse(stdout);
}
