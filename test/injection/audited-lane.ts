import { auditDeep } from '../../processors/audit/deep-audits.ts';
import { createStreamAudits } from '../../processors/audit/stream-audits.ts';
import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import { HEADER_BYTES } from '../../processors/decode/wire-format.ts';
import type { AuditRow, Effects } from '../../processors/model/effects.ts';
import { createLaneState } from '../../processors/model/lane-state.ts';
import { ok } from '../../processors/model/outcome.ts';
import { createPipeline } from '../../processors/pipeline.ts';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { DeepAuditor } from '../../src/deep-audits/deep-auditor.ts';
import { createLaneDeepAudits } from '../../src/lanes/lane-deep-audits.ts';
import { documentsOf, policyText, recordOf } from '../processors/harness.ts';
import type { Model } from './models.ts';
import { known } from './rollout.ts';

const STEP_EVENT = avroTypeOf(stepEventSchema);
const AWAITING = documentsOf(
  policyText(['name: default', 'name: default\naudits: { await: [tokens, template, tools, reencode] }']),
);

export interface Audited {
  /** Result by audit, as the rows say. */
  readonly results: ReadonlyMap<string, string>;
  readonly missing: ReadonlyMap<string, string>;
  readonly findings: readonly AuditRow[];
}

/** Runs rollouts through what a lane runs, whose policy waits for the tokenizers' audits; here no thread makes them. */
export async function auditedOf(
  models: readonly Model[],
  rollouts: ReadonlyArray<readonly StepEventInit[]>,
): Promise<Map<string, Audited>> {
  const { rows } = await effectsOf(models, rollouts);
  if (rows.dead_letters.length > 0) throw new Error(JSON.stringify(rows.dead_letters[0]));
  const audited = new Map<string, Audited>();
  for (const row of rows.audits) {
    const own = audited.get(row.rollout_id) ?? { results: new Map(), missing: new Map(), findings: [] };
    const isFinding = row.class !== '';
    audited.set(row.rollout_id, {
      results: new Map([...own.results, [row.audit, row.result]]),
      missing: isFinding || row.detail === '' ? own.missing : new Map([...own.missing, [row.audit, row.detail]]),
      findings: isFinding ? [...own.findings, row] : own.findings,
    });
  }
  return audited;
}

export async function effectsOf(
  models: readonly Model[],
  rollouts: ReadonlyArray<readonly StepEventInit[]>,
): Promise<Effects> {
  const state = createLaneState({
    ...{ topic: 'rollout.steps', partition: 0, restored: 0, starts: new Set<number>() },
    inForce: AWAITING.inForce,
  });
  const deep = createLaneDeepAudits(auditorOf(models), 0);
  const pipeline = createPipeline({
    state,
    decodeEvent: (value) => ok(STEP_EVENT.decode(value, HEADER_BYTES).value),
    partitionOfKey: () => 0,
    documents: AWAITING,
    audits: createStreamAudits({ template: deep.standIn, reencode: deep.standIn }),
    awaited: deep.begin,
    limits: { reorderEvents: 256 },
  });
  const records = rollouts.flat().map((event, offset) => recordOf(event, offset));
  await pipeline.foldWaiting({ records, found: new Map() });
  return state.effects;
}

function auditorOf(models: readonly Model[]): DeepAuditor {
  const byHash = new Map(models.map(({ knowledge }) => [knowledge.tokenizer.sha256, knowledge]));
  return {
    missingFor: (sha256) => (byHash.has(sha256 ?? '') ? null : `its tokenizer ${sha256} is not configured`),
    run: async (input) => auditDeep(input, known(byHash.get(input.tokenizerSha256 ?? ''))).answers,
    close: async () => undefined,
  };
}
