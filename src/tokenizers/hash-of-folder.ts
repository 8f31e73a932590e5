import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** What a tokenizer is known by: the SHA-256 of its `tokenizer.json`, hex. */
export async function hashOfFolder(folder: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(folder, 'tokenizer.json')), hash);
  return hash.digest('hex');
}
