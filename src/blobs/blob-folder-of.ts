import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { BLOB_FOLDER } from '../config/data-folders.ts';

/** null: nowhere. On Kafka only what is named: a folder of one machine would not answer another's readers. */
export function blobFolderOf({
  data,
  delivery,
  services,
}: Pick<Config, 'data' | 'delivery' | 'services'>): string | null {
  return delivery.blobFolder ?? (services === null ? join(data, BLOB_FOLDER) : null);
}
