import { randomUUID } from 'node:crypto';
import { frontError } from './front-error.ts';

/** What a request of ClickHouse's HTTP interface asks for, but for the statement's part in the body. */
export interface FrontRequest {
  readonly queryId: string;
  readonly query: string;
  readonly defaultFormat: string | null;
  readonly params: ReadonlyMap<string, string>;
  readonly settings: ReadonlyMap<string, string>;
}

/** Without effect: each statement stands for itself, and rows go over the wire as HTTP compresses them. */
const SKIPPED = new Set([
  ...['query_id', 'default_format', 'user', 'password', 'quota_key', 'role', 'stacktrace', 'client_protocol_version'],
  ...['session_id', 'session_timeout', 'session_check', 'close_session'],
]);

/** `form`: the fields of a multipart body. */
export function readRequest(url: URL, headers: Headers, form: FormData | null): FrontRequest {
  const params = new Map<string, string>();
  const settings = new Map<string, string>();
  let query = '';
  const fields = [...url.searchParams, ...(form ?? [])];
  for (const [name, value] of fields) {
    if (typeof value !== 'string') throw frontError('NOT_IMPLEMENTED', 'External tables are not supported');
    const param = /^param_(\w+)$/.exec(name)?.[1];
    if (param !== undefined) params.set(param, value);
    else if (name === 'query') query += value;
    else if (name === 'database') checkDatabase(value);
    else if (name === 'compress' || name === 'decompress') checkCompression(name, value);
    else if (!SKIPPED.has(name)) settings.set(checkedName(name), value);
  }
  checkDatabase(headers.get('x-clickhouse-database') ?? '');
  return {
    queryId: url.searchParams.get('query_id') || randomUUID(),
    query,
    defaultFormat: url.searchParams.get('default_format') ?? headers.get('x-clickhouse-format'),
    params,
    settings,
  };
}

/** There is one. Clients name `default` unless they are told otherwise, and mean the same. */
function checkDatabase(name: string): void {
  if (['', 'default', 'rollstream'].includes(name)) return;
  throw frontError('UNKNOWN_DATABASE', `Database ${name} does not exist: there is rollstream`);
}

function checkCompression(name: string, value: string): void {
  if (value === '0' || value === 'false') return;
  throw frontError('NOT_IMPLEMENTED', `${name}=1 is not supported here: use HTTP compression (gzip), or none`);
}

function checkedName(name: string): string {
  if (!/^\w+$/.test(name)) throw frontError('BAD_ARGUMENTS', 'A setting has a name of letters, digits and _');
  return name;
}
