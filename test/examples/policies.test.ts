import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import { cli } from '../src/cli/test-io.ts';

/** What three policies make of the examples; what differs from the default is read off the stories of `expected.json`. */

const ROLLOUTS = packageFile('examples', 'rollouts');
const POLICIES = ['default', 'dapo', 'strict'] as const;

interface Row {
  readonly rollout: string;
  readonly disposition: string;
  readonly why: readonly string[];
  readonly reward: number | null;
  readonly in_loss: boolean;
  readonly in_baseline: boolean;
}

let folder = '';
const outcomes = new Map<string, ReadonlyMap<string, Row>>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'rollstream-examples-'));
  for (const name of POLICIES) outcomes.set(name, await outcomesUnder(name));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true }));

async function outcomesUnder(policy: string): Promise<ReadonlyMap<string, Row>> {
  const env = { ROLLSTREAM_POLICY_FILE: policy };
  const data = ['--data', join(folder, policy)];
  const paths = readdirSync(ROLLOUTS).map((name) => join(ROLLOUTS, name));
  // One of their lines is torn, which is why it is not 0.
  expect((await cli(['import', ...paths, ...data], { env })).code).toBe(4);
  const { stdout } = await cli([
    'query',
    `select concat(rollout_id, ' ', toString(attempt)) rollout, disposition, why, reward, in_loss, in_baseline
    from rollstream.live_decisions`,
    ...['--format', 'jsonl', ...data],
  ]);
  const rows = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
  return new Map(rows.map((row) => [row.rollout, row]));
}

/** Attempts that a policy decides otherwise than the default: `rollout attempt` → disposition, and why; null: never decided. */
function changedUnder(policy: string): Record<string, string | null> {
  const [before, after] = [outcomes.get('default'), outcomes.get(policy)];
  const shown = (row: Row | undefined) => (row === undefined ? null : [row.disposition, ...row.why].join(' '));
  const changed = [...(before ?? [])].flatMap(([rollout, row]) =>
    shown(row) === shown(after?.get(rollout)) ? [] : [[rollout, shown(after?.get(rollout))]],
  );
  return Object.fromEntries(changed);
}

describe('the examples', () => {
  it('under dapo differ where a failure is a reward like any other, and where a length is not known', () => {
    expect(changedUnder('dapo')).toEqual({
      // Going in circles is penalised by the default, and named so; in DAPO it is a rollout of reward 0.
      'kv_store_agent/1/3 0': 'train stuck_loop',
      // It has no tokens: how overlong it was, so what its reward is, nobody knows.
      'recipe-custard_1 0': 'quarantine no_tokens reward_missing task_complete soft_overlong: missing',
    });
  });

  it('under strict train only by announced weights, of which there are none; faults get one retry, not two', () => {
    const isTrained = ({ disposition }: Row) => ['train', 'train_masked', 'penalise'].includes(disposition);
    const trained = [...(outcomes.get('default')?.values() ?? [])].filter(isTrained);
    expect(trained.length).toBeGreaterThan(20);
    const otherwise: Record<string, string | null> = {
      // Nobody scored it, and 0 would be a guess.
      'kv_store_agent/1/3 0': 'quarantine reward_missing stuck_loop',
      'release-notes_7 1': 'drop env_crash retries_exhausted',
      'release-notes_7 2': null,
    };
    const stale = trained.map(({ rollout, why }) => [rollout, `drop weights_unknown ${why.join(' ')}`]);
    expect(changedUnder('strict')).toEqual({ ...Object.fromEntries(stale), ...otherwise });
    expect([...(outcomes.get('strict')?.values() ?? [])].filter(isTrained)).toEqual([]);
  });

  it('under any of them give no fault a reward, and nothing that is out of the baseline a place in it', () => {
    for (const name of POLICIES)
      for (const { disposition, reward, in_loss, in_baseline } of outcomes.get(name)?.values() ?? []) {
        if (disposition === 'retry' || disposition === 'superseded') expect(reward).toBeNull();
        if (in_loss || in_baseline) expect(reward).not.toBeNull();
      }
  });
});
