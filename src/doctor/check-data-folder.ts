import { open, rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readOwner } from '../config/data-owner.ts';
import { type Check, CheckFault, runCheck } from './check.ts';

const ENOUGH_BYTES = 1024 ** 3;
const SLOW_FSYNC_MS = 100;
const TMPFS = 0x0102_1994;
const NETWORK: Readonly<Record<number, string>> = { 26985: 'NFS', 4283649346: 'CIFS', 4266872130: 'SMB2' };
const MOVE = 'take a folder on a local disk with --data';

/** Whether a pipeline can live in this folder. What does not exist yet is tried in the folder above, and left as it was. */
export async function checkDataFolder(folder: string): Promise<Check[]> {
  const existing = await nearestExisting(folder);
  const checks = [
    await runCheck('data folder', MOVE, async () => {
      const where = existing === folder ? '' : ` (not there yet; tried in ${existing})`;
      const ms = await writeDurably(existing);
      if (ms > SLOW_FSYNC_MS) {
        throw new CheckFault(`${folder}: a durable write takes ${ms} ms`, `every commit waits for one: ${MOVE}`);
      }
      return `${folder} is writable${where}; a durable write takes ${ms} ms`;
    }),
    await runCheck('disk', 'delete something, or take another disk with --data', async () => {
      const { bavail, bsize, type } = await statfs(existing);
      const free = bavail * bsize;
      const text = `${(free / 1024 ** 3).toFixed(1)} GB free`;
      if (free < ENOUGH_BYTES) throw new CheckFault(text, 'at least 1 GB is needed: logs and merges need room');
      const network = NETWORK[type];
      if (network !== undefined) throw new CheckFault(`${text}, on ${network}`, `LMDB maps its file: ${MOVE}`);
      return type === TMPFS ? `${text}, in memory: nothing survives a restart of the machine` : text;
    }),
    await runCheck('owner', 'end that process, or wait for it', async () => {
      const owner = await readOwner(folder);
      if (owner === null) return 'nobody works on it';
      return `pid ${owner.pid} since ${owner.startedAt}${owner.url === null ? '' : `, at ${owner.url}`}`;
    }),
  ];
  return checks;
}

async function writeDurably(folder: string): Promise<number> {
  const path = join(folder, `.rollstream-doctor-${process.pid}`);
  const begin = performance.now();
  const file = await open(path, 'wx');
  try {
    await file.writeFile('rollstream doctor\n');
    await file.sync();
    return Math.ceil(performance.now() - begin);
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

async function nearestExisting(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    const exists = await statfs(path).then(
      () => true,
      () => false,
    );
    if (exists || path === dirname(path)) return path;
  }
}
