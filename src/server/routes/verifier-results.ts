import { Hono } from 'hono';
import type { VerifierCache } from '../../verify/verifier-cache.ts';
import { hashesOf, resultJsonOf, resultsOf, verifierIdOf } from '../../verify/verifier-results-json.ts';
import { jsonBody, onlyFields } from '../request-value.ts';

/**
 * `POST /v1/verifier-results {scorer, version, results}` keeps what a verifier answered; `…/find {scorer, version, hashes}` answers with
 * what is known. The verifier itself runs where the command was given, never here.
 */
export function verifierResultRoutes({ verifierCache }: { readonly verifierCache: VerifierCache }): Hono {
  return new Hono()
    .post('/verifier-results', async (c) => {
      const body = await jsonBody(c);
      onlyFields(body, ['scorer', 'version', 'results']);
      const results = resultsOf(body);
      await verifierCache.keep(verifierIdOf(body), results);
      return c.json({ kept: results.length });
    })
    .post('/verifier-results/find', async (c) => {
      const body = await jsonBody(c);
      onlyFields(body, ['scorer', 'version', 'hashes']);
      const found = await verifierCache.find(verifierIdOf(body), hashesOf(body));
      return c.json({ results: [...found].map(([hash, answer]) => resultJsonOf(hash, answer)) });
    });
}
