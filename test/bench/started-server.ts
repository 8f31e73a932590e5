import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { cpuSecondsOf } from '../chaos/process-cost.ts';

/** A process that serves the HTTP API. */
export interface StartedServer {
  readonly url: string;
  readonly child: ChildProcessWithoutNullStreams;
  /** Of all its threads so far. */
  cpuSeconds(): Promise<number>;
  /** SIGTERM; resolves when it has ended. */
  stop(): Promise<void>;
}

/** Resolves once it says on stderr where it serves. */
export async function startedServer(child: ChildProcessWithoutNullStreams): Promise<StartedServer> {
  let said = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const found = /serving at (http\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)));
  });
  return {
    ...{ url, child },
    cpuSeconds: () => cpuSecondsOf(child.pid),
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** An answer of its API. */
export async function askServer<T>(url: string, path: string, body?: object): Promise<T> {
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(`${url}${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}
