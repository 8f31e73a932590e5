import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Who writes, or wrote, the files of a folder. */
export interface SpoolOwner {
  readonly pid: number;
  /** Tells a process from another that was given its pid later; null: the system does not say. */
  readonly process_start: string | null;
  readonly host: string;
  readonly url: string;
  readonly producer_id: string;
  /** The producer id was chosen by a person, and may be in use again: only a recorder of that name says that it ended. */
  readonly named: boolean;
  /** The recorder was closed, and its process may live on. */
  readonly closed: boolean;
  /** All that it began has ended: that nothing more comes need not be said, and would cut off verdicts that others still owe. */
  readonly ended: boolean;
}

const OWNER = 'owner.json';
const DRAFT = '.draft-';

/** A folder of its own in the spool directory. It appears with its owner in it, so that none is ever without one. */
export function createSpoolFolder(
  directory: string,
  name: string,
  owner: Omit<SpoolOwner, 'closed' | 'ended'>,
): string {
  mkdirSync(directory, { recursive: true });
  const [draft, folder] = [join(directory, `${DRAFT}${name}`), join(directory, name)];
  mkdirSync(draft, { mode: 0o700 });
  writeOwner(draft, { ...owner, closed: false, ended: false });
  renameSync(draft, folder);
  return folder;
}

/** From here on another recorder may send what is left in it. */
export function releaseSpoolFolder(folder: string, isEnded = false): void {
  const owner = readOwner(folder);
  if (owner !== null) writeOwner(folder, { ...owner, closed: true, ended: owner.ended || isEnded });
}

export interface LeftOver {
  readonly folder: string;
  readonly producerId: string;
  readonly isEnded: boolean;
}

/**
 * Folders of recorders that are no more and sent to the same server, each taken by renaming it: of several recorders that start at
 * once one has it. Should two have one after all, its events arrive twice, which changes nothing.
 */
export function takeLeftOvers(directory: string, by: { name: string; url: string; producerId: string }): LeftOver[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(DRAFT))
    .flatMap(({ name }) => {
      const folder = join(directory, name);
      const owner = readOwner(folder);
      if (owner === null || owner.url !== by.url || isAlive(owner)) return [];
      if (owner.named && owner.producer_id !== by.producerId) return [];
      const taken = join(directory, `${name.split('.')[0]}.by-${by.name}`);
      try {
        renameSync(folder, taken);
        writeOwner(taken, { ...owner, pid: process.pid, process_start: processStart(process.pid), closed: false });
        return [{ folder: taken, producerId: owner.producer_id, isEnded: owner.ended }];
      } catch {
        // Another was first.
        return [];
      }
    });
}

export function removeSpoolFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Linux counts a process's start in ticks since it booted; elsewhere the pid alone has to do. */
export function processStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The name of the program, in brackets, may hold spaces and brackets.
    return `${boot}/${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return null;
  }
}

/** Of another host nothing is known: its spool is left to it. */
function isAlive({ pid, process_start, host, closed }: SpoolOwner): boolean {
  if (host !== hostname()) return true;
  if (closed) return false;
  const start = processStart(pid);
  if (start !== null && process_start !== null) return start === process_start;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readOwner(folder: string): SpoolOwner | null {
  try {
    return JSON.parse(readFileSync(join(folder, OWNER), 'utf8'));
  } catch {
    return null;
  }
}

function writeOwner(folder: string, owner: SpoolOwner): void {
  const path = join(folder, OWNER);
  writeFileSync(`${path}.new`, JSON.stringify(owner), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
