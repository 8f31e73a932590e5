import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningCli, startCli } from '../../cli/test-io.ts';

/** As fetch takes them. */
export type Body = NonNullable<RequestInit['body']>;

/** A server on data of its own, as `rollstream up` starts it. */
export interface IngestServer {
  readonly url: string;
  post(path: string, body: Body, headers?: Record<string, string>): Promise<Answer>;
  query<Row>(sql: string): Promise<Row[]>;
  /** The ready trajectory of a rollout, once there is one. */
  ready(rollout: string): Promise<Record<string, unknown>>;
  /** Resolves when all that was accepted has been folded. */
  drained(): Promise<void>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly accepted?: number;
    readonly refused_count?: number;
    readonly refused?: readonly Record<string, unknown>[];
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly field?: string;
      readonly record?: number;
    };
  };
}

export const LINES = { 'content-type': 'application/x-ndjson' };
export const JSON_TYPE = { 'content-type': 'application/json' };
export const AVRO = { 'content-type': 'application/avro' };

export async function startIngestServer(env: Record<string, string> = {}): Promise<IngestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'rollstream-ingest-'));
  // With services nothing is kept in a folder.
  const data = env.ROLLSTREAM_CONFIG === undefined ? ['--data', join(folder, 'data')] : [];
  const server: RunningCli = startCli(['up', '--port', '0', ...data], {
    env: { ROLLSTREAM_CLICKHOUSE_HTTP_ENABLED: 'false', ...env },
  });
  const url = (await server.said(/serving at (\S+)/))[1] ?? '';
  const token = env.ROLLSTREAM_HTTP_TOKEN;
  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };

  const post: IngestServer['post'] = async (path, body, headers = {}) => {
    const init = { method: 'POST', body, headers: { ...authorization, ...headers }, duplex: 'half' } as const;
    const response = await fetch(`${url}${path}`, init);
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  };
  const drained = async (): Promise<void> => {
    for (let done = false; !done; ) {
      const response = await fetch(`${url}/v1/import/drained`, { headers: authorization });
      ({ drained: done } = JSON.parse(await response.text()));
    }
  };
  return {
    url,
    post,
    drained,
    async query<Row>(sql: string) {
      await drained();
      const init = { method: 'POST', body: JSON.stringify({ sql }), headers: authorization };
      const response = await fetch(`${url}/v1/query`, init);
      const text = await response.text();
      if (!response.ok) throw new Error(text);
      const rows: Row[] = JSON.parse(text);
      return rows;
    },
    async ready(rollout) {
      await drained();
      const pages = await (await fetch(`${url}/v1/ready?limit=1000`, { headers: authorization })).text();
      const all: Record<string, unknown>[] = pages
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
      const found = all.find(({ rollout_id }) => rollout_id === rollout);
      if (found === undefined) throw new Error(`${rollout} is not ready`);
      return found;
    },
    async stop() {
      server.interrupt();
      await server.code;
      rmSync(folder, { recursive: true });
    },
  };
}

/** Events of a whole rollout, as they are posted. */
export function rolloutEvents(rollout: string, more: Record<string, unknown> = {}): Record<string, unknown>[] {
  const of = { run_id: 'r', rollout_id: rollout, ...more };
  return [
    { ...of, kind: 'start', seq: 0, start: { prompt: '2+2?' } },
    {
      ...{ ...of, kind: 'model_call', seq: 1 },
      model_call: {
        ...{ call_id: 'c', prompt_delta_ids: [11, 12, 4_294_967_295], completion_ids: [7, 0, 9] },
        ...{ completion_logprobs: [-0.5, -0.1, -3.25], finish_reason: 'stop' },
      },
    },
    { ...of, kind: 'end', seq: 2, end: { reasons: [{ raw: 'task_complete', system: 'strands-env' }] } },
  ];
}

export function linesOf(events: readonly unknown[]): string {
  return events.map((event) => `${typeof event === 'string' ? event : JSON.stringify(event)}\n`).join('');
}
