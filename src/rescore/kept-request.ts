import { RollstreamError } from '../errors.ts';
import { type DocumentText, documentIdOf } from '../lanes/read-document.ts';
import { isObject } from '../server/request-value.ts';
import { readReplayRequest } from './read-replay-request.ts';
import type { ReplayRequest } from './replay-request.ts';
import { ownFields } from './replay-request-json.ts';

/** A request as it is kept, documents by id: equal requests are equal text. */
export function keptRequestOf(request: ReplayRequest): string {
  const { policy, taxonomy } = request;
  return JSON.stringify({ ...ownFields(request), policy: idOf(policy), taxonomy: idOf(taxonomy) });
}

/** The request of a replay that was saved. `contentOf` gives a document by its id; null: it is not kept. */
export async function readKeptRequest(
  requestJson: string,
  contentOf: (id: string) => Promise<string | null>,
): Promise<ReplayRequest> {
  const kept: unknown = JSON.parse(requestJson);
  if (!isObject(kept)) throw new Error('a kept request is no object');
  const documentOf = async (field: 'policy' | 'taxonomy') => {
    const id = kept[field];
    if (typeof id !== 'string') return null;
    const text = await contentOf(id);
    if (text === null)
      throw new RollstreamError('RS_CONFIG', `the replay needs the ${field} ${id}, and the store does not hold it`);
    return { text, name: `${field} ${id}` };
  };
  return readReplayRequest({ ...kept, policy: await documentOf('policy'), taxonomy: await documentOf('taxonomy') });
}

function idOf(document: DocumentText | null): string | null {
  return document === null ? null : documentIdOf(document.text);
}
