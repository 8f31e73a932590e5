import type { ServerClient } from '../access/server-client.ts';
import { MOST_RESULTS, type VerifierCache } from './verifier-cache.ts';
import { resultJsonOf, resultsOf, type VerifierResultJson } from './verifier-results-json.ts';

/** Characters of a request, well below the default body limit. */
const MOST_CHARACTERS = 2 * 2 ** 20;

/** That of the server that owns the data. */
export function createRemoteVerifierCache(request: ServerClient): VerifierCache {
  const post = async (path: string, body: object): Promise<string> => {
    const sent = { type: 'application/json', bytes: JSON.stringify(body) };
    const response = await request({ method: 'POST', path: `/v1/verifier-results${path}`, body: sent });
    return response.text();
  };
  return {
    async find(verifier, hashes) {
      if (hashes.length === 0) return new Map();
      const body: Record<string, unknown> = JSON.parse(await post('/find', { ...verifier, hashes }));
      return new Map(resultsOf(body).map(({ hash, answer }) => [hash, answer]));
    },
    async keep(verifier, answers) {
      const results = answers.map(({ hash, answer }) => resultJsonOf(hash, answer));
      for (const some of portionsOf(results)) await post('', { ...verifier, results: some });
    },
  };
}

function* portionsOf(results: readonly VerifierResultJson[]): Generator<readonly VerifierResultJson[]> {
  let some: VerifierResultJson[] = [];
  let characters = 0;
  for (const result of results) {
    const own = JSON.stringify(result).length;
    if (some.length === MOST_RESULTS || (some.length > 0 && characters + own > MOST_CHARACTERS)) {
      yield some;
      some = [];
      characters = 0;
    }
    some.push(result);
    characters += own;
  }
  if (some.length > 0) yield some;
}
