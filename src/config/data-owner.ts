import { link, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RollstreamError } from '../errors.ts';
import { makeFolder } from './make-folder.ts';
import { identifyProcess, isRunning } from './process-identity.ts';

/** Who works on a data folder. */
export interface DataOwner {
  readonly pid: number;
  /** When that process started, ISO 8601. */
  readonly startedAt: string;
  /** Where commands can reach it; null until it has said so. */
  readonly url: string | null;
}

export interface TakenFolder {
  /** Tells others where to talk to. */
  announce(url: string): Promise<void>;
  release(): Promise<void>;
}

interface OwnerFile extends DataOwner {
  /** See identifyProcess. */
  readonly process: string | null;
  readonly released: boolean;
}

/**
 * The owner file is `owner.N.json`, and each taking is the next N: two processes that find the same dead owner want to create
 * the same file, and only one can. The highest N is never deleted, only marked as released. Were there one name for all:
 * 1 A and B find it stale; 2 A deletes it and creates its own; 3 B deletes A's and creates its own: both own the folder.
 */
const OWNER_FILE = /^owner\.(\d+)\.json$/;

function pathOf(folder: string, generation: number): string {
  return join(folder, `owner.${generation}.json`);
}

async function generations(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch(ignore('ENOENT', []));
  return names
    .map((name) => OWNER_FILE.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b);
}

function ignore<T>(code: string, instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === code) return instead;
    throw error;
  };
}

function parseOwner(text: string): OwnerFile | null {
  let found: Partial<Record<keyof OwnerFile, unknown>>;
  try {
    found = Object(JSON.parse(text));
  } catch {
    return null; // cut short by a power failure: whoever wrote it is gone
  }
  const { pid, startedAt, url, process, released } = found;
  if (typeof pid !== 'number' || typeof startedAt !== 'string') return null;
  return {
    pid,
    startedAt,
    url: typeof url === 'string' ? url : null,
    process: typeof process === 'string' ? process : null,
    released: released === true,
  };
}

async function liveOwner(folder: string, generation: number): Promise<OwnerFile | null> {
  const owner = parseOwner(await readFile(pathOf(folder, generation), 'utf8').catch(ignore('ENOENT', '')));
  return owner !== null && !owner.released && (await isRunning(owner.pid, owner.process)) ? owner : null;
}

function owned(folder: string, owner: OwnerFile): RollstreamError {
  const where = owner.url === null ? 'it has not said yet where it can be reached' : `talk to it at ${owner.url}`;
  return new RollstreamError('RS_DATA_OWNED', `pid ${owner.pid} owns ${folder}; ${where}`, {
    facts: { pid: owner.pid, folder, ...(owner.url === null ? {} : { url: owner.url }) },
  });
}

/** The live owner of a data folder, or null: then nobody works on it. */
export async function readOwner(folder: string): Promise<DataOwner | null> {
  const owner = await liveOwner(folder, (await generations(folder)).at(-1) ?? 0);
  return owner && { pid: owner.pid, startedAt: owner.startedAt, url: owner.url };
}

/** Makes this process the one owner of a data folder, before it opens anything there; RS_DATA_OWNED while another one lives. */
export async function takeDataFolder(folder: string, options: { readonly url?: string } = {}): Promise<TakenFolder> {
  await makeFolder(folder);
  const self: OwnerFile = {
    pid: process.pid,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
    url: options.url ?? null,
    process: await identifyProcess(process.pid),
    released: false,
  };
  for (;;) {
    const last = (await generations(folder)).at(-1) ?? 0;
    const owner = await liveOwner(folder, last);
    if (owner !== null) throw owned(folder, owner);
    const mine = last + 1;
    if (!(await create(folder, mine, self))) continue;
    const all = await generations(folder);
    if (all.some((other) => other > mine)) {
      // A slow taker: `last` was cleared away meanwhile by the owner of a later generation.
      await rm(pathOf(folder, mine), { force: true });
      continue;
    }
    await Promise.all(all.filter((other) => other < mine).map((other) => rm(pathOf(folder, other), { force: true })));
    return takenFolder(folder, mine, self);
  }
}

let written = 0;

/** Writes an owner file under a name of its own, to appear under its real name whole. */
async function write(folder: string, owner: OwnerFile, appear: (draft: string) => Promise<void>): Promise<void> {
  const draft = join(folder, `owner.draft.${process.pid}.${++written}`);
  try {
    await writeFile(draft, `${JSON.stringify(owner)}\n`);
    await appear(draft);
  } finally {
    await rm(draft, { force: true });
  }
}

/** False when the generation is taken. */
async function create(folder: string, generation: number, owner: OwnerFile): Promise<boolean> {
  let created = false;
  await write(folder, owner, async (draft) => {
    created = await link(draft, pathOf(folder, generation)).then(() => true, ignore('EEXIST', false));
  });
  return created;
}

function takenFolder(folder: string, generation: number, self: OwnerFile): TakenFolder {
  let current = self;
  const update = async (change: Partial<OwnerFile>): Promise<void> => {
    if (current.released) return;
    current = { ...current, ...change };
    await write(folder, current, (draft) => rename(draft, pathOf(folder, generation)));
  };
  return {
    announce: (url) => update({ url }),
    release: () => update({ released: true }),
  };
}
