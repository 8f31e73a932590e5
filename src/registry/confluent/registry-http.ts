import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import { RollstreamError } from '../../errors.ts';

export interface ConfluentRegistryOptions {
  /** With the path, if it has one: `http://127.0.0.1:8081/apis/ccompat/v7` for Apicurio. */
  readonly url: string;
  readonly username?: string;
  readonly password?: string;
  /** Certificates of an https URL; absent: the system's. */
  readonly tls?: ConnectionOptions;
}

export interface RegistryAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** RS_REGISTRY_UNREACHABLE: no answer, or one that says to try again. RS_CONFIG: not allowed, or no registry at all. */
export type RegistryHttp = (method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown) => Promise<RegistryAnswer>;

const TIMEOUT_MS = 10_000;
const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json';
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export function createRegistryHttp(options: ConfluentRegistryOptions): RegistryHttp {
  const base = parseUrl(options.url);
  const isTls = base.protocol === 'https:';
  const agent = isTls ? new HttpsAgent({ keepAlive: true, ...options.tls }) : new HttpAgent({ keepAlive: true });
  const send = isTls ? httpsRequest : httpRequest;
  const auth = options.username === undefined ? undefined : `${options.username}:${options.password ?? ''}`;

  function exchange(method: string, url: string, body: string | null): Promise<RegistryAnswer> {
    return new Promise((resolve, reject) => {
      const headers = { accept: CONTENT_TYPE, ...(body === null ? {} : { 'content-type': CONTENT_TYPE }) };
      const request = send(
        url,
        { method, agent, headers, signal: AbortSignal.timeout(TIMEOUT_MS), ...(auth === undefined ? {} : { auth }) },
        (response) => {
          textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, body: parsed(text) }), reject);
        },
      );
      request.on('error', reject);
      request.end(body ?? undefined);
    });
  }

  return async function registryHttp(method, path, body) {
    const url = `${base.href.replace(/\/$/, '')}${path}`;
    const facts = { url: base.origin, path };
    let answer: RegistryAnswer;
    try {
      answer = await exchange(method, url, body === undefined ? null : JSON.stringify(body));
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RollstreamError('RS_REGISTRY_UNREACHABLE', `the schema registry ${base.origin}: ${why}`, {
        cause,
        facts,
      });
    }
    const { status } = answer;
    const what = `the schema registry ${base.origin} answers ${status} to ${method} ${path}`;
    if (status >= 500 || status === 429 || status === 408) {
      throw new RollstreamError('RS_REGISTRY_UNREACHABLE', what, { facts });
    }
    if (status === 401 || status === 403) {
      throw new RollstreamError('RS_CONFIG', `${what}: its user name, password or permissions`, { facts });
    }
    if (status >= 300 && errorCodeOf(answer) === null) {
      // Above all a 404 that no registry wrote: taken for an unknown schema it would make poison of every record.
      throw new RollstreamError('RS_CONFIG', `${what}, without an error_code: is its path complete?`, { facts });
    }
    return answer;
  };
}

/** The registry's own code, such as 40403: no such schema. */
export function errorCodeOf({ status, body }: RegistryAnswer): number | null {
  if (status < 300 || typeof body !== 'object' || body === null || !('error_code' in body)) return null;
  return typeof body.error_code === 'number' ? body.error_code : null;
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new RollstreamError(
      'RS_CONFIG',
      `'${text}' is no address of a schema registry: http://host:port/path is needed`,
    );
  }
  return url;
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    const buffer = Buffer.from(chunk);
    bytes += buffer.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
