import { AUDIT_NAMES, type Finding } from '../../../processors/model/audit-summary.ts';
import type { AttemptReport } from '../attempt-report.ts';
import type { AuditOutcome } from '../audit-outcome.ts';

/** The report as one JSON document. Findings go out as they come: there may be more of them than fit in memory. */
export interface JsonReport {
  attempt(report: AttemptReport, file: string): Promise<void>;
  end(outcome: AuditOutcome): Promise<void>;
}

export function createJsonReport(write: (text: string) => Promise<void>): JsonReport {
  let isFirst = true;
  return {
    async attempt(report, file) {
      for (const finding of report.findings) {
        await write(`${isFirst ? '{"findings":[\n' : ',\n'}${JSON.stringify(findingJson(report, file, finding))}`);
        isFirst = false;
      }
    },
    end: (outcome) => write(`${isFirst ? '{"findings":[' : ''}],\n${JSON.stringify(outcomeJson(outcome)).slice(1)}\n`),
  };
}

export function findingJson({ runId, rolloutId, attempt, line }: AttemptReport, file: string, finding: Finding) {
  const { audit, class: name, severity, turn, index, detail, evidence } = finding;
  return {
    ...{ run_id: runId, rollout_id: rolloutId, attempt, audit, class: name, severity, turn, index, detail, file, line },
    ...(evidence === undefined
      ? {}
      : {
          evidence: {
            ids: evidence.ids,
            expected_ids: evidence.expectedIds,
            text: evidence.text,
            expected_text: evidence.expectedText,
          },
        }),
  };
}

function outcomeJson({ tally, gate, counts, tokenizers, sample, policy }: AuditOutcome) {
  const { verdict, tripped, rates } = gate;
  return {
    trajectories: tally.trajectories,
    audits: Object.fromEntries(
      AUDIT_NAMES.map((audit) => {
        const { pass, fail, warn, not_auditable } = tally.audits[audit];
        return [audit, { pass, fail, warn, not_auditable }];
      }),
    ),
    classes: tally.classes.map(({ audit, class: name, severity, trajectories, findings }) => ({
      ...{ audit, class: name, severity, trajectories, findings },
    })),
    missing: Object.fromEntries(
      AUDIT_NAMES.filter((audit) => tally.missing[audit].size > 0).map((audit) => [
        audit,
        kindsOf(tally.missing[audit]),
      ]),
    ),
    rates: Object.fromEntries(
      rates
        .filter(({ n }) => n > 0)
        .map(({ limit, n, hits, rate, low, high }) => [limit, { n, hits, rate, low, high }]),
    ),
    reencode: tally.reencode,
    rerender: { ...tally.rerender, missing: kindsOf(tally.rerender.missing) },
    endings: Object.fromEntries(tally.endings),
    model_calls: tally.modelCalls,
    sampled_tokens: tally.sampledTokens,
    tokenizers,
    without_tokenizer: tally.withoutTokenizer,
    sample,
    lines: counts.lines,
    refused: counts.refused,
    repeated: counts.repeated,
    passed_over: counts.passedOver,
    faults: counts.faults,
    files: counts.files,
    policy,
    gate: { verdict, tripped },
  };
}

function kindsOf(missing: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...missing].map(([what, n]) => [what === '' ? 'other' : what, n]));
}
