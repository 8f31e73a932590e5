import type { Config } from '../config/config.ts';

/**
 * Where other servers reach this one. `isDoubtful`: it listens on every address, and names loopback. 1 Two hosts listen on 0.0.0.0;
 * 2 one claims the leases as http://127.0.0.1:8080; 3 the other forwards to itself, and answers RS_STARTING for ever.
 */
export function advertisedUrl(
  { http, services }: Pick<Config, 'http' | 'services'>,
  listening: string,
): { readonly url: string; readonly isDoubtful: boolean } {
  const isDoubtful = services !== null && http.advertisedUrl === null && ['0.0.0.0', '::'].includes(http.host);
  return { url: http.advertisedUrl ?? listening, isDoubtful };
}
