import { RollstreamError } from '../../errors.ts';

/** How the records of a body are written. */
export type BodyFormat = 'lines' | 'json' | 'avro';

const TYPES: Readonly<Record<string, BodyFormat>> = {
  'application/x-ndjson': 'lines',
  'application/ndjson': 'lines',
  'application/jsonl': 'lines',
  'application/json': 'json',
  'application/avro': 'avro',
};

/** By content-type; RS_USAGE names those that are taken. */
export function bodyFormat(contentType: string, taken: readonly BodyFormat[]): BodyFormat {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const format = Object.hasOwn(TYPES, type.trim()) ? TYPES[type.trim()] : undefined;
  if (format === undefined || !taken.includes(format)) {
    const known = ['application/x-ndjson', 'application/json', 'application/avro'].filter((name) =>
      taken.includes(TYPES[name] ?? 'avro'),
    );
    const got = type.trim() === '' ? 'none is given' : `${type.trim().slice(0, 100)} is not taken here`;
    throw refused(`${got}; ${known.join(', ')} are`);
  }
  const charset = parameters.map((one) => /^\s*charset\s*=\s*"?([^"\s]*)"?\s*$/.exec(one)?.[1]).find(Boolean);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw refused(`charset ${charset.slice(0, 100)} is not taken; write UTF-8`);
  }
  return format;
}

function refused(problem: string): RollstreamError {
  return new RollstreamError('RS_USAGE', `content-type: ${problem}`, { facts: { field: 'content-type' } });
}
