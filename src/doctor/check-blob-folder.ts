import { randomUUID } from 'node:crypto';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { wantedTopics } from '../backends/wanted-topics.ts';
import { blobFolderOf } from '../blobs/blob-folder-of.ts';
import type { Config } from '../config/config.ts';
import { topicNames } from '../config/topics.ts';
import { type Check, CheckFault, runCheck } from './check.ts';

const NAME = 'blob folder';
const HOUR_MS = 3_600_000;

/** Where token data above 8 MB goes. What was named must be there; the one in the data folder is made when it is needed. */
export async function checkBlobFolder(config: Config): Promise<Check[]> {
  const folder = blobFolderOf(config);
  if (folder === null) return [];
  const fix = `let this user write in ${folder}, or name another one (blobs.folder)`;
  const check = await runCheck(NAME, fix, async () => {
    const isThere = await stat(folder).then(
      () => true,
      () => false,
    );
    if (!isThere && config.delivery.blobFolder === null) return `${folder} is made when it is needed`;
    if (!isThere) throw new CheckFault(`${folder} does not exist`, 'create it, or mount what all servers share there');
    await write(folder);
    return `${folder} is writable`;
  });
  return [check.status === 'ok' ? { ...check, ...shortLived(config, check.detail) } : check];
}

/** Advice, no fault: 1 a blob is removed; 2 the record that names it is still on the topic, and nobody can read it any more. */
function shortLived(config: Config, detail: string): Partial<Check> {
  if (config.services === null) return {};
  const ready = topicNames(config.lanes.topicPrefix).ready;
  const kept = wantedTopics(config, config.services).find(({ name }) => name === ready)?.retentionMs;
  const { blobRetentionMs } = config.delivery;
  if (typeof kept !== 'number' || blobRetentionMs >= kept) return {};
  const hours = Math.ceil(kept / HOUR_MS);
  return {
    detail: `${detail}; but blobs.retention is less than the ${hours}h for which ${ready} keeps its records`,
    fix: `set blobs.retention to ${hours}h or more`,
  };
}

async function write(folder: string): Promise<void> {
  const path = join(folder, `.rollstream-doctor-${randomUUID()}`);
  const file = await open(path, 'wx');
  try {
    await file.sync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
