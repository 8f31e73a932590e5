import { readFileSync } from 'node:fs';
import type { Store } from '../../src/clickhouse/port.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { insertSql, SHAPE } from './analytics-insert.ts';
import { rowStatements } from './analytics-rows.ts';
import {
  groupsIn,
  MEMBERS,
  openGroupsOf,
  PARTITIONS,
  restoredAt,
  type Shape,
  STEP_GROUPS,
  shapeOf,
  stepGroupsOf,
  strideOf,
} from './analytics-shape.ts';
import { stepStatements } from './analytics-steps.ts';
import { leaseStatement, trainerStatements } from './analytics-trainer.ts';
import { shippedDocuments } from './shipped-documents.ts';

export interface AnalyticsRun {
  readonly runId: string;
  /** Rollouts; some are tried again, so that there are a few more attempts. */
  readonly trajectories: number;
  /** Mean of the events of an attempt; 10. */
  readonly stepsPerTrajectory?: number;
  readonly seed?: number;
  /** Log of its own, so that its rows are owned; `<runId>.rollout.steps`. */
  readonly topic?: string;
}

export interface AnalyticsRows {
  readonly attempts: number;
  readonly steps: number;
  readonly tookMs: number;
}

/** Rollouts of a piece: as many as whole steps of the trainer take. */
const PIECE = 200 * STEP_GROUPS * MEMBERS;

/**
 * Writes the rows of one run straight into the tables, as lanes, verifiers, audits and a trainer would have left them: books that
 * balance, an owner that died, groups that are still open, rollouts without times. The same seed gives the same rows. Tokens are
 * few, and none are in a log. The store is migrated.
 */
export async function writeAnalyticsRun(store: Store, run: AnalyticsRun): Promise<AnalyticsRows> {
  const { runId, trajectories, stepsPerTrajectory = 10, seed = 1, topic = `${runId}.rollout.steps` } = run;
  if (!/^[a-z0-9-]+$/.test(runId) || !/^[a-z0-9.-]+$/.test(topic))
    throw new Error(`not a plain name: ${runId}, ${topic}`);
  const began = performance.now();
  const groups = Math.ceil(trajectories / MEMBERS);
  const shape: Shape = { run: runId, seed, groups, stepsPerTrajectory };
  const { policy_id: policyId, taxonomy_id: taxonomyId } = shippedDocuments().inForce;
  const statements = [
    ...rowStatements({ seed, topic, policyId, taxonomyId }),
    ...stepStatements({ seed, topic, policyId, taxonomyId }),
    ...trainerStatements(seed, Math.floor(groups / stepGroupsOf(shape))),
  ];
  await store.query('CREATE DATABASE IF NOT EXISTS analytics_bench');
  try {
    for (let from = 0; from < groups * MEMBERS; from += PIECE) {
      const piece = shapeOf(shape, from, Math.min(groups * MEMBERS, from + PIECE));
      await store.query(`CREATE OR REPLACE TABLE ${SHAPE} ENGINE = Memory AS ${piece}`);
      for (const statement of statements) await store.query(statement);
      if (from + PIECE >= groups * MEMBERS) await writeBooks(store, shape, topic);
    }
  } finally {
    await store.query('DROP DATABASE analytics_bench SYNC');
  }
  await store.query(leaseStatement(runId));
  for (const [kind, id, file] of [
    ['policy', policyId, 'processors/decide/policies/default.yaml'],
    ['taxonomy', taxonomyId, 'processors/taxonomy/taxonomy.yaml'],
  ] as const)
    await store.query(
      `INSERT INTO rollstream.documents (id, kind, content) SELECT {id:String}, '${kind}', {content:String}`,
      {
        id,
        content: readFileSync(packageFile(file), 'utf8'),
      },
    );
  const [written] = await store.query<{ attempts: number; steps: number }>(
    `SELECT (SELECT toUInt32(count()) FROM rollstream.attempts WHERE run_id = {run:String}) AS attempts,
      (SELECT toUInt32(count()) FROM rollstream.steps WHERE run_id = {run:String}) AS steps`,
    { run: runId },
  );
  return { attempts: 0, steps: 0, ...written, tookMs: performance.now() - began };
}

/** Owners, frontiers with what is open there, and a few changes of the gate. */
async function writeBooks(store: Store, shape: Shape, topic: string): Promise<void> {
  const version = (term: number, offset: number) => `${term} * 281474976710656 + ${offset}`;
  const term = (partition: number, number: number, restored: number) =>
    `('${topic}', ${partition}, ${number}, ${restored}, ${version(number, restored)})`;
  const partitions = Array.from({ length: PARTITIONS }, (_, partition) => partition);
  const terms = [...partitions.map((partition) => term(partition, 1, 0)), term(0, 2, restoredAt(shape))];
  await store.query(`INSERT INTO rollstream.terms SELECT * FROM VALUES(${terms.join(', ')})`);
  const open = (column: string) => `groupArrayIf(${column}, is_open)`;
  for (const partition of partitions) {
    const frontier = groupsIn(shape, partition) * MEMBERS * strideOf(shape);
    const owner = partition === 0 ? 2 : 1;
    await store.query(
      insertSql(
        'lanes',
        {
          ...{ topic: `'${topic}'`, partition: `${partition}`, term: `${owner}`, frontier: `${frontier}` },
          watermark: `${Math.max(0, frontier - Math.ceil(openGroupsOf(shape) / PARTITIONS) * MEMBERS * strideOf(shape))}`,
          ...{ 'open.run_id': open('run_id'), 'open.epoch': open('epoch'), 'open.unit': open('unit') },
          ...{ 'open.rollout_id': open('rollout_id'), 'open.attempt': open('a'), version: version(owner, frontier) },
        },
        `${SHAPE} WHERE partition = ${partition} AND NOT is_dead`,
      ),
    );
  }
  const gates = ['preflight', 'open', 'warn', 'open'].map(
    (state, place) =>
      `('${shape.run}', ${place + 1}, '${state}', 'evaluator', [], '{}', toDateTime64('2026-02-28 04:00:00', 6, 'UTC'), toDateTime64('2026-02-28 0${4 + place}:00:00', 6, 'UTC'))`,
  );
  await store.query(`INSERT INTO rollstream.gates SELECT * FROM VALUES(${gates.join(', ')})`);
}
