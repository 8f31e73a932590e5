import { RollstreamError } from '../errors.ts';
import type { IngestBody, IngestResult } from '../ingest/http/ingest.ts';
import { errorWith } from './error-response.ts';
import { isReadPast } from './is-read-past.ts';

/** Hands a request to `take` and answers with what became of it. */
export async function ingested(request: Request, take: (body: IngestBody) => Promise<IngestResult>): Promise<Response> {
  const { headers, body } = request;
  const length = headers.get('content-length');
  const response = ingestResponse(
    await take({
      contentType: headers.get('content-type') ?? '',
      contentEncoding: headers.get('content-encoding') ?? '',
      contentLength: length === null ? null : Number(length),
      // Locked only while it is read, and left open: what is not read has to be read past.
      chunks: { [Symbol.asyncIterator]: () => body?.values({ preventCancel: true }) ?? none() },
    }),
  );
  // The connection cannot serve another request before its body is through.
  if (body !== null && !(await isReadPast(body))) response.headers.set('connection', 'close');
  return response;
}

async function* none(): AsyncGenerator<Uint8Array> {}

/** 200 where all of it was read and something taken; else an error that says how much was. */
function ingestResponse({ accepted, refusedCount, refused, error }: IngestResult): Response {
  const counts = { accepted, refused_count: refusedCount, refused };
  if (error !== null) return errorWith(error, counts);
  const [first] = refused;
  if (accepted > 0 || first === undefined) return Response.json(counts);
  const message = `nothing was accepted: record ${first.index}: ${first.message}`;
  const facts = { record: first.index, ...(first.field === '' ? {} : { field: first.field }) };
  return errorWith(new RollstreamError('RS_INPUT_REFUSED', message, { facts }), counts);
}
