import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Blame } from '../../../../src/blame/blame.ts';
import { openEmbeddedStore } from '../../../../src/clickhouse/client.ts';
import { encodeDeliveries } from '../../../../src/clickhouse/tables/deliveries.ts';
import { sampleDelivery } from '../../clickhouse/tables/sample-deliveries.ts';
import { cli, startCli } from '../test-io.ts';

let folder = '';
let data = '';

/** Groups of two: one that answers right, and one that does not, or never ends. */
function rollouts(run: string, group: string, hasCut: boolean): string {
  const member = (rollout_id: string, reward: number, raw: string, ids: readonly number[]) => {
    const base = {
      ...{ run_id: run, env_name: 'e', task_id: group, group_id: group, group_size: 2, rollout_id, producer_id: 'p' },
      source: { format: 'test', version: '1' },
    };
    const call = { call_id: 'c', prompt_delta_ids: [1], completion_ids: ids, completion_logprobs: ids.map(() => -0.5) };
    return [
      { ...base, seq: 0, kind: 'start', start: {} },
      { ...base, seq: 1, kind: 'model_call', model_call: call },
      { ...base, seq: 2, kind: 'end', end: { reasons: [{ system: 'strands-env', raw }] } },
      { ...base, kind: 'verdict', verdict: { scorer: 's', status: 'scored', rewards: { r: reward } } },
    ].map((event, i) => `${JSON.stringify({ ...event, event_id: `${rollout_id}.${i}` })}\n`);
  };
  const wrong = hasCut ? 'max_tokens_reached' : 'task_complete';
  return [...member(`${group}-a`, 1, 'task_complete', [2]), ...member(`${group}-b`, 0, wrong, [2, 3, 4])].join('');
}

/** Four steps of a group each; in the last the wrong answer was cut. A second run has trained step 4, too. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-blame-'));
  data = join(folder, 'data');
  const groups = ['g1', 'g2', 'g3', 'g4'];
  writeFileSync(join(folder, 'one.jsonl'), groups.map((group) => rollouts('one', group, group === 'g4')).join(''));
  writeFileSync(join(folder, 'two.jsonl'), rollouts('two', 'g', false));
  for (const run of ['one', 'two'])
    expect(await cli(['import', join(folder, `${run}.jsonl`), '--run', run, '--data', data])).toMatchObject({
      code: 0,
    });
  const store = await openEmbeddedStore({ folder: join(data, 'store') });
  const trained = (run_id: string, group: string, step: number, ready: number) =>
    ['a', 'b'].map((one, i) =>
      sampleDelivery(ready + i, { run_id, unit: `${run_id}/0/g/${group}`, rollout_id: `${group}-${one}`, step }),
    );
  const rows = groups.flatMap((group, i) => trained('one', group, i + 1, 2 * i));
  await store.insert(encodeDeliveries([...rows, ...trained('two', 'g', 4, 0)]));
  await store.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const blame = (...flags: string[]) => cli(['blame', ...flags, '--data', data]);

describe('rollstream blame', () => {
  it('says in one sentence what is unlike the steps before, and shows by what', async () => {
    const { code, stdout, stderr } = await blame('--step', '4', '--run', 'one');
    expect(code, stderr).toBe(0);
    // Advantages are alike, so that tokens decide: 3 of 4 are of the answer that was cut.
    expect(stdout.split('\n')[0]).toBe(
      'Step 4 of one trained 2 trajectories; reason output_tokens has 75 % of the weight, 0 % in the 3 steps before.',
    );
    expect(stdout).toContain('lineage 0; 4 tokens in the loss; steps: 3 of the 10 asked for before it, 3 of them');
    expect(stdout).toMatch(/^output_tokens +1 +0 +[\d.]+ +75 +0 +75$/m);
    expect(stdout).toMatch(/^task_complete +1 +0 +[\d.]+ +25 +100 +-75$/m);
    expect(stdout).toMatch(/^g4-b +0 +output_tokens +0 +-0\.7071 +3 +75 +live$/m);
  });

  it('is one JSON document, the same from a server that owns the data', async () => {
    const asked = ['--step', '4', '--run', 'one', '--before', '2', '--json'];
    const alone = await blame(...asked);
    expect(alone.code, alone.stderr).toBe(0);
    const document: Blame = JSON.parse(alone.stdout);
    expect(document).toMatchObject({
      ...{ run_id: 'one', step: 4, lineage: 0, trajectories: 2, without_advantage: 0, loss_tokens: 4 },
      before: { asked: 2, steps: [3, 2], compared: 2 },
      by_reason: [
        { key: 'output_tokens', trajectories: 1, share: 0.75, share_before: 0, difference: 0.75 },
        { key: 'task_complete', trajectories: 1, share: 0.25, share_before: 1, difference: -0.75 },
      ],
    });
    expect(document.rows.map(({ rollout_id }) => rollout_id)).toEqual(['g4-b', 'g4-a']);
    const server = startCli(['up', '--data', data, '--port', '0']);
    await server.said(/http:\/\/127\.0\.0\.1:\d+/);
    const served = await blame(...asked);
    server.interrupt();
    await server.code;
    expect(JSON.parse(served.stdout)).toEqual(document);
  });

  it('says which run it needs, and which steps there are', async () => {
    const said = async (...flags: string[]) => {
      const { code, stderr, stdout } = await blame(...flags);
      expect(stdout).toBe('');
      return [code, stderr.trim()];
    };
    expect(await said('--step', '4')).toEqual([
      2,
      'error: step 4 was trained in one, two: name one with --run [RS_USAGE]',
    ]);
    expect(await said('--step', '9')).toEqual([1, 'error: no run has trained step 9 [RS_NOT_FOUND]']);
    expect(await said('--step', '4', '--run', 'three')).toEqual([1, 'error: no run is named three [RS_NOT_FOUND]']);
    expect(await said('--step', '9', '--run', 'one')).toEqual([
      1,
      'error: run one has trained no step 9: of its 4 steps the first is 1, the last 4 [RS_NOT_FOUND]',
    ]);
    expect(await said('--step', '4', '--lineage', '0')).toEqual([
      2,
      'error: a lineage is of one run: name it with --run [RS_USAGE]',
    ]);
    expect((await blame('--step', '3')).stdout).toContain('Step 3 of one trained 2 trajectories');
    expect((await blame('--step', 'x')).code).toBe(2);
  });
});
