import { readFile } from 'node:fs/promises';

/** Of /proc/PID/stat, behind the process name: the state, and the start in clock ticks since the boot. */
const STATE_FIELD = 0;
const START_FIELD = 19;

async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null);
}

async function statFields(pid: number): Promise<string[] | null> {
  const stat = await readText(`/proc/${pid}/stat`);
  // The name in parentheses may itself hold spaces and parentheses.
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Tells this process from every other that had or will have its pid: boot and start tick. null where there is no /proc. */
export async function identifyProcess(pid: number): Promise<string | null> {
  const start = (await statFields(pid))?.[START_FIELD];
  const boot = await readText('/proc/sys/kernel/random/boot_id');
  return start === undefined || boot === null ? null : `${boot.trim()}/${start}`;
}

/** Whether the process that had this pid and identity still lives; without an identity, whether any process has the pid. */
export async function isRunning(pid: number, identity: string | null): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives and is somebody else's.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false;
  }
  const state = (await statFields(pid))?.[STATE_FIELD];
  if (state === 'Z' || state === 'X') return false; // killed, and not yet collected by its parent
  const now = await identifyProcess(pid);
  return identity === null || now === null || now === identity;
}
