import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { packageFile } from '../../src/config/package-file.ts';
import { findPython, pythonWith } from '../python-with.ts';

/** The Python client as it stands in the repository. */
export interface PythonClient {
  /** Starts test/bench/delivery_client.py. */
  start(...args: ReadonlyArray<string | number>): ChildProcessWithoutNullStreams;
  /** Runs it to its end: the last line that it printed. */
  run<T>(...args: ReadonlyArray<string | number>): Promise<T>;
}

/** The last line of what a process prints, as JSON; rejects when it fails. */
export async function lastLine<T>(child: ChildProcessWithoutNullStreams): Promise<T> {
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  if (code !== 0) throw new Error(`the client ended with ${code}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

/** A reason, where there is no Python that can run it. */
export async function openPythonClient(): Promise<PythonClient | string> {
  const found = await findPython();
  if (found === null) return 'there is no Python 3.10 or later';
  const project = await readFile(packageFile('clients', 'python', 'pyproject.toml'), 'utf8');
  const dependencies: string[] = JSON.parse(/^dependencies = (\[.*\])$/m.exec(project)?.[1] ?? '[]');
  const python = await pythonWith(found, dependencies).catch((error: Error) => error);
  if (python instanceof Error) return `pip cannot install what the client needs: ${python.message}`;
  const env = { ...process.env, PYTHONPATH: packageFile('clients', 'python', 'src') };
  const script = packageFile('test', 'bench', 'delivery_client.py');

  const start: PythonClient['start'] = (...args) => spawn(python, [script, ...args.map(String)], { env });
  return { start, run: (...args) => lastLine(start(...args)) };
}
