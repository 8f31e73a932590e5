import type { Caller } from '../../server/auth/caller.ts';
import type { FailedAttempts } from '../../server/auth/failed-attempts.ts';
import type { KnownTokens } from '../../server/auth/known-tokens.ts';
import { createGuard } from '../../server/guard.ts';
import type { Sender } from '../../server/listen.ts';
import type { ReaderGuard } from '../reader-guard.ts';
import type { ReaderLimits } from '../reader-limits.ts';
import { failureAnswer, plainAnswer, queryAnswer } from './answer.ts';
import { createCredentialsCheck } from './credentials.ts';
import { type CutStatement, cutStatement } from './cut-statement.ts';
import type { EngineAnswer, RunStatement } from './front-engine.ts';
import { frontError } from './front-error.ts';
import { readSettings, writeSettings } from './front-settings.ts';
import { insertHead } from './insert-head.ts';
import type { RowsToInsert } from './insert-rows.ts';
import { type FrontRequest, readRequest } from './read-request.ts';
import { bodyBytes, type DecodeBody, statementText } from './request-body.ts';

export interface HttpFrontConfig {
  readonly host: string;
  readonly token: string | null;
  readonly writable: boolean;
  readonly limits: ReaderLimits;
}

export interface HttpFrontDeps {
  readonly runRead: RunStatement;
  readonly runWrite: RunStatement;
  readonly insertRows: (rows: RowsToInsert) => Promise<EngineAnswer>;
  readonly decodeBody: DecodeBody;
  readonly reader: ReaderGuard;
  readonly writer: { check(sql: string): void };
  /** Of the token file. */
  readonly tokens: KnownTokens;
  /** Wrong passwords. */
  readonly failures: FailedAttempts;
  readonly log: (message: string) => void;
  /** Of the engine. */
  readonly timezone: string;
}

interface Done {
  readonly result: EngineAnswer;
  readonly format: string;
}

interface Work {
  readonly bodyIsRead: boolean;
  readonly caller: Caller;
}

/** A statement; and rows behind it. */
const MAX_STATEMENT_BYTES = 8 * 1024 * 1024;
const MAX_ROWS_BYTES = 256 * 1024 * 1024;

const READS =
  /^[\s(]*(?:--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*[\s(]*(?:select|with|from|show|describe|desc|explain|exists)\b/i;

/** ClickHouse's HTTP interface over the engine in this process. */
export function createHttpFront(
  config: HttpFrontConfig,
  deps: HttpFrontDeps,
): (request: Request, sender: Sender) => Promise<Response> {
  const origins = createGuard({ host: config.host });
  const checkCredentials = createCredentialsCheck({ token: config.token, tokens: deps.tokens }, deps.failures);

  const bodyOf = (request: Request): Promise<Buffer> =>
    bodyBytes(request, config.writable ? MAX_ROWS_BYTES : MAX_STATEMENT_BYTES, deps.decodeBody);

  async function answer(request: Request, url: URL, address: string): Promise<Response> {
    const { headers } = request;
    origins.checkHost(headers.get('host') ?? undefined);
    const said = (name: string): string | undefined => headers.get(name) ?? undefined;
    const by = { origin: said('origin'), site: said('sec-fetch-site'), mode: said('sec-fetch-mode') };
    origins.checkOrigin(by, said('host'));
    if (url.pathname === '/ping' || url.pathname === '/replicas_status') return plainAnswer('Ok.\n');
    if (url.pathname !== '/') return plainAnswer('There is no such path: queries go to /\n', 404);
    const caller = checkCredentials(url, headers, address);
    const isForm = /^multipart\/form-data/i.test(headers.get('content-type') ?? '');
    const form = isForm ? await formOf(headers, await bodyOf(request)) : null;
    const asked = readRequest(url, headers, form);
    if (request.method === 'GET' && asked.query === '') return plainAnswer('Ok.\n');
    const accepts = headers.get('accept-encoding') ?? '';
    const zipped = /\bgzip\b/.test(accepts) && /^(?:1|true)$/.test(asked.settings.get('enable_http_compression') ?? '');
    const { result, format } = await work(request, asked, { bodyIsRead: form !== null, caller });
    return queryAnswer(result, { queryId: asked.queryId, format, zipped, timezone: deps.timezone });
  }

  async function work(request: Request, asked: FrontRequest, { bodyIsRead, caller }: Work): Promise<Done> {
    const urlInsert = bodyIsRead ? null : insertHead(asked.query);
    if (urlInsert !== null) {
      const first = Buffer.from(asked.query.slice(urlInsert.end));
      const encoding = request.headers.get('content-encoding') ?? '';
      assertWritable(request, caller);
      return insert(request, asked, { head: urlInsert, first, rest: request.body ?? [], encoding });
    }
    const body = bodyIsRead ? Buffer.alloc(0) : await bodyOf(request);
    const whole = asked.query === '' ? body : Buffer.concat([Buffer.from(`${asked.query}\n`), body]);
    const head = insertHead(whole.toString('latin1'));
    if (head !== null) {
      assertWritable(request, caller);
      return insert(request, asked, { head, first: whole.subarray(head.end), rest: [], encoding: '' });
    }
    const sql = statementText(whole);
    if (READS.test(sql)) return read(request, asked, cutStatement(sql));
    assertWritable(request, caller);
    return write(request, asked, sql);
  }

  async function read(request: Request, asked: FrontRequest, cut: CutStatement): Promise<Done> {
    const checked = deps.reader.check(cut.sql);
    const format = cut.format ?? asked.defaultFormat ?? 'TabSeparated';
    if (!/^\w+$/.test(format)) throw frontError('BAD_ARGUMENTS', 'A format has a name of letters and digits');
    const settings = readSettings(new Map([...asked.settings, ...cut.settings]), config.limits);
    const statement = { sql: `${checked}\nFORMAT ${format}`, settings, params: asked.params, signal: request.signal };
    return { result: await deps.runRead(statement), format };
  }

  async function write(request: Request, asked: FrontRequest, sql: string): Promise<Done> {
    deps.writer.check(sql);
    const statement = { sql, settings: writeSettings(asked.settings), params: asked.params, signal: request.signal };
    return { result: await deps.runWrite(statement), format: 'TabSeparated' };
  }

  async function insert(
    request: Request,
    asked: FrontRequest,
    rows: Omit<RowsToInsert, 'settings' | 'signal'>,
  ): Promise<Done> {
    deps.writer.check(`INSERT INTO ${rows.head.target}`);
    const settings = new Map([...asked.settings, ...rows.head.settings]);
    return { result: await deps.insertRows({ ...rows, settings, signal: request.signal }), format: rows.head.format };
  }

  function assertWritable(request: Request, { role }: Caller): void {
    if (!config.writable)
      throw frontError('READONLY', 'Only queries are answered here: the data has one writer, rollstream');
    if (role !== 'operator') throw frontError('ACCESS_DENIED', `Access denied: a ${role} only reads (RS_FORBIDDEN)`);
    if (request.method !== 'POST') throw frontError('READONLY', 'Cannot execute a writing statement by GET: use POST');
  }

  return async function httpFront(request, { address }) {
    const url = new URL(request.url);
    try {
      return await answer(request, url, address);
    } catch (cause) {
      const { response, failure } = failureAnswer(cause, url.searchParams.get('query_id') ?? '');
      if (failure.status >= 500) deps.log(`${failure.type}: ${failure.message}`);
      return response;
    }
  };
}

/** Fields of a multipart body. */
function formOf(headers: Headers, body: Buffer): Promise<FormData> {
  const contentType = headers.get('content-type') ?? '';
  return new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
}
