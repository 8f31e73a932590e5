import type { AuditName, AuditResult } from '../../../processors/model/audit-summary.ts';
import type { Disposition } from '../../../schemas/generated/decision.ts';
import type { Store } from '../../../src/clickhouse/port.ts';
import { encodeAudits } from '../../../src/clickhouse/tables/audits.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeLanes } from '../../../src/clickhouse/tables/lanes.ts';
import { encodeTerms } from '../../../src/clickhouse/tables/terms.ts';
import { sampleDecision } from '../clickhouse/tables/sample-rows.ts';

export interface Decided {
  readonly category?: string;
  readonly disposition?: Disposition;
  readonly turns?: number;
  readonly held?: boolean;
  readonly env?: string;
  /** Append time of the closing record. */
  readonly atMs?: number;
}

export type SaidOf = readonly [audit: AuditName, result: Exclude<AuditResult, 'unknown'>, found: string];

export const TOPIC = 'rollout.steps';
const owner = { topic: TOPIC, term: 1 };
let offset = 0;

/** Rows as a lane of one partition writes them, each below its frontier. */
export function gateRows(store: Store) {
  const unitOf = (run: string, rollout: string) => `${run}/0/r/${rollout}`;
  return {
    async decided(run: string, rollout: string, of: Decided, said: readonly SaidOf[] = []): Promise<void> {
      offset += 1;
      const decision = sampleDecision(offset, {
        ...{ run_id: run, unit: unitOf(run, rollout), rollout_id: rollout, partition: 0, replay_id: '' },
        ...{ category: of.category ?? 'completion', disposition: of.disposition ?? 'train' },
        ...{ n_turns: of.turns ?? 1, held: of.held ?? false, env_name: of.env ?? 'env' },
        decided_at: (of.atMs ?? 1_700_000_000_000 + offset) * 1000,
      });
      await store.insert(encodeDecisions([decision], owner));
      const { epoch, attempt } = decision;
      const rows = said.map(([audit, result, found], i) => ({
        ...{ run_id: run, epoch, unit: unitOf(run, rollout), rollout_id: rollout, attempt, replay_id: '' },
        ...{ audit, result, class: found, severity: 'fail', turn: i, index: null, detail: '', evidence: {} },
        ...{ started_at: null, partition: 0, offset },
      })) satisfies Parameters<typeof encodeAudits>[0];
      if (rows.length > 0) await store.insert(encodeAudits(rows, owner));
      await store.insert(encodeTerms([{ partition: 0, restored: 0 }], owner));
      await store.insert(encodeLanes([{ partition: 0, frontier: offset + 1, watermark: offset + 1, open: [] }], owner));
    },
    async matched(
      run: string,
      rollout: string,
      of: { readonly kl?: number; readonly diff?: number; readonly clipped?: number; readonly step: number },
    ): Promise<void> {
      await store.query(
        `INSERT INTO rollstream.train_match (run_id, unit, rollout_id, step, kl, max_logprob_diff, clipped_share, version)
         SELECT {run:String}, {unit:String}, {rollout:String}, {step:Int64}, {kl:Nullable(Float64)},
           {diff:Nullable(Float64)}, {clipped:Nullable(Float64)}, {step:UInt64}`,
        {
          run,
          unit: unitOf(run, rollout),
          rollout,
          ...of,
          kl: of.kl ?? null,
          diff: of.diff ?? null,
          clipped: of.clipped ?? null,
        },
      );
    },
  };
}
