import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are not there.
 *
 * NOT `mkdir(…, { recursive: true })`. 1 `/proc/nope` cannot be made, and the kernel says ENOENT, though `/proc` is there; 2 Node
 * makes `/proc`, finds it, and tries again; 3 so it goes on for ever, in a thread of the pool that no signal ends
 * (https://github.com/nodejs/node/blob/v20.20.2/src/node_file.cc, MKDirpAsync).
 */
export async function makeFolder(folder: string): Promise<void> {
  const above = dirname(folder);
  try {
    return await makeOne(folder);
  } catch (error) {
    if (above === folder || !(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  await makeFolder(above);
  await makeOne(folder);
}

async function makeOne(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const isThere = await stat(folder).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isThere) throw error;
  }
}
