import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ModelCallInit } from '../../../../schemas/generated/step-event.ts';
import { namedQueries } from '../../../../src/access/named-queries.ts';
import { encodeAudits } from '../../../../src/clickhouse/tables/audits.ts';
import { encodeLanes } from '../../../../src/clickhouse/tables/lanes.ts';
import { encodeSteps } from '../../../../src/clickhouse/tables/steps.ts';
import { encodeTerms } from '../../../../src/clickhouse/tables/terms.ts';
import { encodeTrainMatch } from '../../../../src/clickhouse/tables/train-match.ts';
import { sampleMatch, versionOf } from '../../../src/clickhouse/tables/sample-deliveries.ts';
import { sampleStep } from '../../../src/clickhouse/tables/sample-rows.ts';
import { type TemporaryStore, temporaryStore } from '../../../src/clickhouse/temporary-store.ts';

let temporary: TemporaryStore;
beforeAll(async () => {
  temporary = await temporaryStore();
  await temporary.store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
});
afterAll(() => temporary.remove());

const owner = { topic: 'rollout.steps', term: 1 };
let offset = 0;

interface Sampled {
  readonly calls: ReadonlyArray<Partial<ModelCallInit>>;
  readonly drift?: string;
  /** In the order in which they were reported. */
  readonly reported: ReadonlyArray<readonly [kl: number | null, diff: number | null, clipped: number | null]>;
}

async function trained(rollout_id: string, { calls, drift, reported }: Sampled): Promise<void> {
  const { store } = temporary;
  const unit = `run/0/r/${rollout_id}`;
  for (const call of calls) {
    offset += 1;
    const event = { run_id: 'run', rollout_id, kind: 'model_call', event_id: `${offset}`, seq: offset } as const;
    const row = sampleStep(offset, { ...event, model_call: { call_id: 'c', ...call } });
    await store.insert(encodeSteps([{ ...row, unit, partition: 0, offset, cause: offset }], owner));
  }
  if (drift !== undefined)
    await store.insert(
      encodeAudits(
        [
          {
            ...{ run_id: 'run', epoch: 0, unit, rollout_id, attempt: 0, replay_id: '', audit: 'reencode' },
            ...{ result: drift === '' ? 'pass' : 'warn', class: drift, severity: 'warn', turn: 0, index: 0 },
            ...{ detail: '', evidence: {}, started_at: null, partition: 0, offset },
          },
        ],
        owner,
      ),
    );
  for (const [step, [kl, diff, clipped]] of reported.entries())
    await store.insert(
      encodeTrainMatch([
        sampleMatch(rollout_id, {
          ...{
            run_id: 'run',
            unit,
            step,
            kl,
            max_logprob_diff: diff,
            clipped_share: clipped,
            version: versionOf(1, step),
          },
        }),
      ]),
    );
  await store.insert(encodeLanes([{ partition: 0, frontier: offset + 1, watermark: offset + 1, open: [] }], owner));
}

it('puts a mismatch beside what may cause it', async () => {
  const good: Partial<ModelCallInit> = {
    replica: 'e1',
    logprobs_mode: 'raw',
    weight_spans: [{ start: 0, version: 'v1' }],
  };
  const processed: Partial<ModelCallInit> = { ...good, replica: 'e2', logprobs_mode: 'processed' };
  const v2: Partial<ModelCallInit> = { ...good, weight_spans: [{ start: 0, version: 'v2' }] };
  await trained('a', { calls: [good, good], drift: '', reported: [[0.25, 0.5, 0]] });
  // Trained twice: the last report counts.
  await trained('b', {
    calls: [good],
    drift: '',
    reported: [
      [9, 9, 1],
      [0.75, null, 0],
    ],
  });
  await trained('c', { calls: [processed], drift: '', reported: [[4, 2, 0.5]] });
  await trained('d', { calls: [good, v2], drift: 'bpe_split', reported: [[2, 1, null]] });
  await trained('e', { calls: [{ logprobs_mode: 'unknown' }], reported: [[null, null, 0.25]] });

  const query = namedQueries().find(({ name }) => name === 'train_match');
  const rows = await temporary.store.query<Record<string, unknown>>(query?.sql ?? '', { run: 'run' });
  expect(
    rows.map((row) => [
      ...[row.replica, row.weights, row.logprobs_mode, row.drift, Number(row.trajectories)],
      ...[row.kl, row.worst_kl, row.logprob_diff, row.worst_logprob_diff, row.clipped, row.worst_rollout],
    ]),
  ).toEqual([
    ['e2', 'one', 'processed', 'none', 1, 4, 4, 2, 2, 0.5, 'c'],
    ['e1', 'mixed', 'raw', 'bpe_split', 1, 2, 2, 1, 1, null, 'd'],
    ['e1', 'one', 'raw', 'none', 2, 0.5, 0.75, 0.5, 0.5, 0, 'b'],
    ['unknown', 'unknown', 'unknown', 'not_auditable', 1, null, null, null, null, 0.25, 'e'],
  ]);
});
