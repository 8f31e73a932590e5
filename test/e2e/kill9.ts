/**
 * An import of about 50,000 events, killed with -9 at random moments and started again; then what came out is checked from
 * outside. `npm run kill9 -- --kills 20 [--seed TEXT] [--events 50000] [--keep]`; exit code 1 when anything is wrong.
 */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { createRandom } from '../../examples/generate/random.ts';
import { accountingOf, checkImport, countsOf } from './check-import.ts';
import { writeImportData } from './import-data.ts';
import { type Kill, killImports } from './kill-imports.ts';
import { endPrograms, runProgram } from './program.ts';
import { told } from './told.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    seed: { type: 'string', default: String(Date.now()) },
    events: { type: 'string', default: '50000' },
    keep: { type: 'boolean', default: false },
  },
});
const events = Number(values.events);
const folder = await mkdtemp(join(tmpdir(), 'rollstream-kill9-'));
const moments: Kill[] = [];
const wrong: string[] = [];
const say = (text: string) => process.stdout.write(`${text}\n`);

process.once('SIGTERM', async () => {
  await endPrograms();
  rmSync(folder, { recursive: true, force: true });
  process.exit(143);
});

say(`seed ${values.seed}, ${values.kills} kills, in ${folder}`);
try {
  const size = { rollouts: Math.round((events * 0.6) / 8), groups: Math.round((events * 0.4) / 19) };
  const { folders, expected } = await writeImportData(folder, values.seed, size);
  const written = [...expected.events.values()].reduce((sum, count) => sum + count, 0);
  const importInto = (data: string) => ['import', ...folders, '--data', data, '--json', '--quiet'];

  const undisturbed = join(folder, 'undisturbed');
  const began = performance.now();
  const report: { events: number } = JSON.parse(await runProgram(importInto(undisturbed)));
  const durationMs = performance.now() - began;
  say(`${written} events; an undisturbed import takes ${Math.round(durationMs)} ms`);
  if (report.events !== written) wrong.push(`import reports ${report.events} events of ${written}`);
  wrong.push(...(await checkImport(undisturbed, expected)).map((line) => `undisturbed: ${line}`));

  const data = join(folder, 'data');
  await killImports(
    importInto(data),
    Number(values.kills),
    durationMs,
    createRandom(`${values.seed} kills`),
    (kill) => {
      moments.push(kill);
      say(`  ${kill.hit ? 'killed' : 'ended before'} ${kill.atMs} ms`);
    },
  );
  await told(importInto(data));
  wrong.push(...(await checkImport(data, expected)));

  const before = [await accountingOf(data), await countsOf(data)];
  await told(importInto(data));
  const after = [await accountingOf(data), await countsOf(data)];
  if (!isDeepStrictEqual(before, after))
    wrong.push(`another import changed ${JSON.stringify(before)} to ${JSON.stringify(after)}`);
} catch (error) {
  wrong.push(error instanceof Error ? error.message : String(error));
}

for (const line of wrong.slice(0, 50)) say(`WRONG ${line}`);
if (wrong.length > 0)
  say(`${wrong.length} wrong; seed ${values.seed}, killed at ${moments.map(({ atMs }) => atMs).join(', ')} ms`);
else say('each trajectory is ready once, the accounting balances, no row is lost');
if (values.keep) say(`kept: ${folder}`);
else await rm(folder, { recursive: true, force: true });
process.exitCode = wrong.length > 0 ? 1 : 0;
