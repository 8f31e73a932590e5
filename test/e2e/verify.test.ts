import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cli, startCli } from '../src/cli/test-io.ts';
import { writeUnjudged } from '../src/verify/unjudged-lines.ts';
import { startRollstream } from './rollstream.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-verify-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const ROLLOUTS = 8;
const BEFORE_THE_KILL = 5;

/** Writes down what it is asked, and never answers the request after so many until it may. */
function writeVerifier(): string {
  const file = join(folder, 'verifier.mjs');
  writeFileSync(
    file,
    `import { appendFileSync, existsSync } from 'node:fs';
     import { createInterface } from 'node:readline';
     appendFileSync(${JSON.stringify(join(folder, 'pids'))}, process.pid + '\\n');
     let n = 0;
     createInterface({ input: process.stdin }).on('line', (line) => {
       const { id, input } = JSON.parse(line);
       n += 1;
       if (n > ${BEFORE_THE_KILL} && !existsSync(${JSON.stringify(join(folder, 'may'))})) return;
       appendFileSync(${JSON.stringify(join(folder, 'asked'))}, input.rollout_id + '\\n');
       console.log(JSON.stringify({ id, reward: Number(input.final_response), cost: 0.25 }));
     });`,
  );
  return file;
}

function linesOf(name: string): string[] {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

it('a verifier that is killed and run again asks only for the rest, and each rollout is decided by its own answer', async () => {
  const data = ['--data', join(folder, 'data')];
  const query = async <Row>(sql: string): Promise<Row[]> =>
    JSON.parse((await cli(['query', sql, '--json', ...data])).stdout);
  const server = startCli(['up', '--port', '0', ...data]);
  try {
    await server.said(/serving at/);
    const rollouts = Array.from({ length: ROLLOUTS }, (_, n) => ({ run: 'v', rollout: `r${n}`, response: `${n}` }));
    const file = writeUnjudged(
      join(folder, 'rollouts.jsonl'),
      rollouts.map((rollout) => ({ ...rollout, answer: '7' })),
    );
    expect((await cli(['import', file, '--keep-open', ...data])).code).toBe(0);
    const command = `'${process.execPath}' '${writeVerifier()}'`;
    const verify = ['verify', '--verifier', command, '--once', '--concurrency', '1', '--scorer', 'tests', '--json'];

    const killed = startRollstream(...verify, '--verifier-version', '1', ...data);
    const kept = () => query('SELECT content_hash FROM rollstream.verifier_results FINAL');
    await expect.poll(kept, { timeout: 60_000, interval: 200 }).toHaveLength(BEFORE_THE_KILL);
    killed.kill('SIGKILL');
    await once(killed, 'close');
    // Its verifier ends when nobody asks any more.
    const isGone = () => linesOf('pids').every((pid) => !existsSync(`/proc/${pid}/fd/0`));
    await expect.poll(isGone, { timeout: 10_000 }).toBe(true);
    const before = linesOf('asked');

    writeFileSync(join(folder, 'may'), '');
    const again = await cli([...verify, '--verifier-version', '1', ...data]);
    expect(again.code, again.stderr).toBe(0);
    const asked = linesOf('asked').slice(before.length);
    expect(before).toHaveLength(BEFORE_THE_KILL);
    expect([...before, ...asked].toSorted()).toEqual(rollouts.map(({ rollout }) => rollout));
    expect(JSON.parse(again.stdout)).toMatchObject({ cost: 0.25 * (ROLLOUTS - BEFORE_THE_KILL) });
    const decided = await query(
      `SELECT rollout_id, disposition, reward FROM rollstream.live_decisions ORDER BY rollout_id`,
    );
    expect(decided).toEqual(
      rollouts.map(({ rollout, response }) => ({
        rollout_id: rollout,
        disposition: 'train',
        reward: Number(response),
      })),
    );
    const verdicts = await query<{ n: number }>(
      `SELECT toUInt32(count()) AS n FROM rollstream.live_verdicts WHERE scorer = 'tests' GROUP BY rollout_id`,
    );
    expect(verdicts).toEqual(rollouts.map(() => ({ n: 1 })));
  } finally {
    server.interrupt();
    await server.code;
  }
});
