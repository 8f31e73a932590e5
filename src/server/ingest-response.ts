import { RollstreamError } from '../errors.ts';
import type { IngestBody, IngestResult } from '../ingest/http/ingest.ts';
import { errorResponse } from './error-response.ts';

export function ingestBody(request: Request): IngestBody {
  const { headers, body } = request;
  const length = headers.get('content-length');
  return {
    contentType: headers.get('content-type') ?? '',
    contentEncoding: headers.get('content-encoding') ?? '',
    contentLength: length === null ? null : Number(length),
    chunks: body ?? none(),
  };
}

async function* none(): AsyncGenerator<Uint8Array> {}

/** What became of a body: 200 where all of it was read and something taken; else an error that says how much was. */
export function ingestResponse({ accepted, refusedCount, refused, error }: IngestResult): Response {
  const counts = { accepted, refused_count: refusedCount, refused };
  if (error !== null) return errorResponse(error, counts);
  const [first] = refused;
  if (accepted > 0 || first === undefined) return Response.json(counts);
  const message = `nothing was accepted: record ${first.index}: ${first.message}`;
  const facts = { record: first.index, ...(first.field === '' ? {} : { field: first.field }) };
  return errorResponse(new RollstreamError('RS_INPUT_REFUSED', message, { facts }), counts);
}
