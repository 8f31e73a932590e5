import type { ServerResponse } from 'node:http';
import type { Asked, Refusal } from './asked.ts';

/** An error in the shape of the route and dialect that it is of. */
export function refuse(
  response: ServerResponse,
  { status, type, message, headers }: Refusal,
  { route, dialect }: { readonly route: Asked['route'] | null; readonly dialect: Asked['dialect'] },
): void {
  const error = { message, type, param: null, code: status };
  const body =
    dialect === 'vllm' ? { error } : route === 'generate' ? { error: { message } } : { object: 'error', ...error };
  sendJson(response, status, body, headers);
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}
