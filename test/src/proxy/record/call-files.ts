import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openCallFile } from '../../../../src/proxy/journal/call-file.ts';
import type { CallEnd, CallHead, NamedBy } from '../../../../src/proxy/journal/call-head.ts';

export const NOBODY: NamedBy = {
  ...{ run: null, rollout: null, attempt: null, group: null, groupSize: null },
  ...{ task: null, env: null, epoch: null, purpose: null },
};

/** A call as a proxy would have seen it. */
export interface SeenCall {
  readonly id: string;
  readonly named?: Partial<NamedBy>;
  readonly path?: string;
  readonly engine?: CallHead['engine'];
  readonly headers?: Readonly<Record<string, string>>;
  readonly request: object | string;
  readonly status?: number;
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** What the upstream answered, whole; null: it did not begin to. */
  readonly answer: object | string | Buffer | null;
  /** Where the answer is cut into pieces. */
  readonly cuts?: readonly number[];
  /** null: the proxy was killed. */
  readonly end?: CallEnd | null;
  readonly startedAtUs?: number;
  /** Of the whole call. */
  readonly tookUs?: number;
}

/** Written by the same code as the proxy's; returns its path. */
export function writeCall(folder: string, call: SeenCall): string {
  const { id, named, path = '/generate', engine = 'sglang', headers = {}, startedAtUs = 1_700_000_000_000_000 } = call;
  const head: CallHead = {
    ...{ id, path, engine, headers, startedAtUs, upstream: '127.0.0.1:30000', asked: [] },
    named: { ...NOBODY, ...named },
  };
  mkdirSync(join(folder, 'calls'), { recursive: true });
  let since = 0;
  const took = call.tookUs ?? 1000;
  const file = openCallFile(join(folder, 'calls'), head, bytesOf(call.request), () => since);
  if (call.answer !== null) {
    const type =
      typeof call.answer === 'object' && !Buffer.isBuffer(call.answer) ? 'application/json' : 'text/event-stream';
    since = took / 4;
    file.answer({ status: call.status ?? 200, headers: { 'content-type': type, ...call.answerHeaders } });
    since = took / 2;
    for (const piece of cut(bytesOf(call.answer), call.cuts ?? [])) file.piece(piece);
    file.flush();
  }
  since = took;
  const { end = { how: 'complete', detail: null } } = call;
  if (end === null) file.flush();
  else file.end(end);
  return file.path;
}

/** Chunks as an engine streams them. */
export function streamOf(chunks: readonly object[], { done = true } = {}): string {
  return `${chunks.map((chunk) => `data: ${jsonOf(chunk)}\n\n`).join('')}${done ? 'data: [DONE]\n\n' : ''}`;
}

export function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [...new Set(at.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places]
    .map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
    .filter((piece) => piece.length > 0);
}

/** As an engine writes it: JSON.stringify loses the sign of zero. */
function jsonOf(value: object): string {
  const text = JSON.stringify(value, (_key, item: unknown) => (Object.is(item, -0) ? '\0-0' : item));
  return text.replaceAll('"\\u0000-0"', '-0.0');
}

function bytesOf(body: object | string | Buffer): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : jsonOf(body), 'utf8');
}
