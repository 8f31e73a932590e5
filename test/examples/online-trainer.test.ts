import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Accounting } from '../../src/clickhouse/accounting.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { programFile } from '../e2e/program.ts';
import { told } from '../e2e/told.ts';
import { findPython, pythonWith } from '../python-with.ts';

/** What the trainer's own weights hold, as its last checkpoint says. */
interface Step {
  readonly step: number;
  readonly reward: number;
  readonly trained: readonly (readonly [rollout: string, attempt: number])[];
}

const run = promisify(execFile);
const found = await findPython();
const STEPS = 24;
let folder = '';
let data: string[] = [];
let said = '';
let history: Step[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-online-'));
  data = ['--data', join(folder, 'data')];
  if (found === null) return;
  // What clients/python needs.
  const python = await pythonWith(found, ['httpx>=0.27,<1', 'fastavro>=1.9,<2', 'numpy>=1.26,<3']);
  const env = { ...process.env, PYTHONPATH: packageFile('clients', 'python', 'src'), PYTHONDONTWRITEBYTECODE: '1' };
  const main = packageFile('examples', 'online-trainer', 'main.py');
  const args = ['--folder', folder, '--steps', String(STEPS), '--kill-at', '8'];
  const program = ['--rollstream', `${process.execPath} ${programFile()}`];
  said = (await run(python, [main, ...args, ...program], { env })).stdout;
  const read = 'import numpy, sys; print(numpy.load(sys.argv[1])["facts"])';
  const facts = await run(python, ['-c', read, join(folder, 'checkpoint.npz')], { maxBuffer: 2 ** 24 });
  ({ history } = JSON.parse(facts.stdout));
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

async function rows<T>(sql: string): Promise<T[]> {
  return JSON.parse(await told(['query', sql, '--json', ...data]));
}

if (found === null) {
  it('is not tried: there is no Python 3.10 or later', () => {});
} else {
  /** The step of the checkpoint that the second trainer began at. */
  let restored = 0;
  beforeAll(() => {
    const again = /^step +8 +lineage 0 .*\nkill -9 \d+, the trainer\nstep +(\d+) +lineage 1 /m.exec(said);
    restored = Number(again?.[1]) - 1;
  });

  it('its reward rises, through a kill -9 of the trainer and a rewind to its last checkpoint', () => {
    // The signal may find it a step further.
    expect(restored).toBeGreaterThanOrEqual(5);
    expect(restored % 5).toBe(0);
    expect(history.map(({ step }) => step)).toEqual(Array.from({ length: STEPS }, (_, index) => index + 1));
    const mean = (steps: readonly Step[]) => steps.reduce((sum, { reward }) => sum + reward, 0) / steps.length;
    const [first, last] = [mean(history.slice(0, STEPS / 4)), mean(history.slice(-STEPS / 4))];
    // A quarter is 1,536 letters, so that its mean is good to 0.02.
    expect(last - first).toBeGreaterThan(0.3);
  });

  it('what the surviving weights hold is what is trained by the books, each trajectory once', async () => {
    const held = history.flatMap(({ trained }) => trained.map(([rollout, attempt]) => `${rollout} ${attempt}`));
    expect(new Set(held).size).toBe(held.length);
    expect(held).toHaveLength(STEPS * 64);
    const trained = await rows<{ rollout_id: string; attempt: number }>(
      `SELECT rollout_id, attempt FROM rollstream.live_deliveries WHERE state = 'trained'`,
    );
    expect(trained.map(({ rollout_id, attempt }) => `${rollout_id} ${attempt}`).sort()).toEqual(held.sort());
  });

  it('the steps that were lost count no more: their data came again', async () => {
    const granted = `SELECT count() AS n FROM rollstream.delivery_leases FINAL
      WHERE lineage = 0 AND step > 0 AND ended_how = 'trained'`;
    const [{ n: steps } = { n: 0 }] = await rows<{ n: number }>(granted);
    expect(steps).toBeGreaterThanOrEqual(8);
    const survived = `SELECT lineage, count() AS n, max(step) AS last, countIf(lag IS NULL) AS unknown
      FROM rollstream.live_deliveries WHERE state = 'trained' GROUP BY lineage ORDER BY lineage`;
    expect(await rows(survived)).toEqual([
      { lineage: 0, n: restored * 64, last: restored, unknown: 0 },
      { lineage: 1, n: (STEPS - restored) * 64, last: STEPS, unknown: 0 },
    ]);
  });

  it('one rewind was made, and the books balance', async () => {
    expect(await rows(`SELECT lineage, step FROM rollstream.lineages FINAL WHERE kind = 'rewind'`)).toEqual([
      { lineage: 1, step: restored },
    ]);
    const { runs }: Accounting = JSON.parse(await told(['accounting', '--json', ...data]));
    expect(runs).toMatchObject([{ run_id: 'spelling', balanced: true, ready_states: { trained: STEPS * 64 } }]);
  });
}
