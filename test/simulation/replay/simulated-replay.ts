import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import type { Documents } from '../../../processors/decide/judge.ts';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import type { Audits } from '../../../processors/model/audit-summary.ts';
import type { InForce } from '../../../processors/model/control.ts';
import { NO_GATES } from '../../../processors/model/gate.ts';
import type { ReplayedRows } from '../../../processors/model/replay.ts';
import type { Parsed } from '../../../processors/model/taxonomy.ts';
import { NO_WEIGHTS } from '../../../processors/model/weights.ts';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import type { Owner } from '../../../src/clickhouse/encode-batch.ts';
import { encodeAudits } from '../../../src/clickhouse/tables/audits.ts';
import { encodeDecisions } from '../../../src/clickhouse/tables/decisions.ts';
import { encodeRewards } from '../../../src/clickhouse/tables/rewards.ts';
import { encodeTrajectories } from '../../../src/clickhouse/tables/trajectories.ts';
import { NO_DEEP_AUDITOR } from '../../../src/deep-audits/deep-auditor.ts';
import { createLaneDeepAudits } from '../../../src/lanes/lane-deep-audits.ts';
import { createMemoryStore, type Row } from '../../../src/simulate/memory-store.ts';
import { GATED_POLICIES, POLICIES, policyText, TAXONOMY } from '../../../src/simulate/simulated-documents.ts';
import { readTableShapes } from '../../../src/simulate/table-shapes.ts';

const idOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** All documents of the simulation, by id. */
export function simulatedDocuments(): Documents {
  const texts = [...new Set([...POLICIES, ...GATED_POLICIES])].map((name) => policyText(name).text);
  const policies = new Map(texts.map((text) => [idOf(text), accepted(readPolicy(parse(text), idOf(text)))]));
  const taxonomy = accepted(readTaxonomy(parse(TAXONOMY.text), idOf(TAXONOMY.text)));
  return {
    policyOf(id) {
      const policy = policies.get(id);
      if (policy === undefined) throw new Error(`no policy ${id}`);
      return policy;
    },
    taxonomyOf: () => taxonomy,
  };
}

/** As a lane has them, without a tokenizer. */
export function simulatedAudits(): Audits {
  const { standIn } = createLaneDeepAudits(NO_DEEP_AUDITOR, 0);
  return createStreamAudits({ template: standIn, reencode: standIn });
}

/** In force before the first control event. */
export function firstInForce(policy_id: string): InForce {
  return { policy_id, taxonomy_id: idOf(TAXONOMY.text), weights: NO_WEIGHTS, gates: NO_GATES };
}

export const REPLAYED_TABLES = ['decisions', 'rewards', 'trajectories', 'audits'] as const;

/** Rows as the store has them once they were written, by table. */
export function storedRows(all: readonly ReplayedRows[]): Record<(typeof REPLAYED_TABLES)[number], string[]> {
  const store = createMemoryStore(readTableShapes());
  const owner: Owner = { topic: 'rollout.steps', term: 0 };
  for (const { decisions, rewards, trajectories, audits } of all) {
    store.insert(encodeDecisions(decisions, owner));
    store.insert(encodeRewards(rewards, owner));
    store.insert(encodeTrajectories(trajectories, owner));
    store.insert(encodeAudits(audits, owner));
  }
  return {
    decisions: linesOf(store.rows('decisions')),
    rewards: linesOf(store.rows('rewards')),
    trajectories: linesOf(store.rows('trajectories')),
    audits: linesOf(store.rows('audits')),
  };
}

/** Without what says whose row it is: `supersedes` is null in both where nothing changed. */
export function linesOf(rows: readonly Row[]): string[] {
  return rows.map(({ replay_id, term, version, topic, ...row }) => JSON.stringify(row)).sort();
}

function accepted<T>(parsed: Parsed<T>): T {
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}
