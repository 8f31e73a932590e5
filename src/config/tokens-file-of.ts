import { join } from 'node:path';
import type { Config } from './config.ts';
import { TOKENS_FILE } from './data-folders.ts';

/** null: nowhere. On Kafka only what is named: there is no data folder. */
export function tokensFileOf({ data, http, services }: Pick<Config, 'data' | 'http' | 'services'>): string | null {
  return http.tokensFile ?? (services === null ? join(data, TOKENS_FILE) : null);
}
