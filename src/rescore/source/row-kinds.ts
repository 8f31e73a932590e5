import type { AuditName, AuditResult, Evidence, Finding } from '../../../processors/model/audit-summary.ts';
import { AUDIT_NAMES } from '../../../processors/model/audit-summary.ts';
import type { Decoded } from '../../../processors/model/record.ts';
import type { ComparedDecision, NewVerdict } from '../../../processors/model/replay.ts';
import type { RowBinaryReader } from '../../clickhouse/row-binary-reader.ts';
import { auditName, auditResult, dispositionOf, purposeOf, severityOf, verdictStatus } from './sections/enums.ts';

/** Columns of a table, in the order in which `read` takes them. */
export interface RowKind<Row> {
  readonly select: readonly string[];
  read(reader: RowBinaryReader): Row;
}

/** A row, and the unit that it is of. */
interface OfUnit {
  readonly unit: string;
}

const readString = (reader: RowBinaryReader): string => reader.string();
const readUint32 = (reader: RowBinaryReader): number => reader.uint32();
const readNullableFloat64 = (reader: RowBinaryReader): number | null => reader.nullableFloat64();

export const decidedRows: RowKind<OfUnit & { readonly decision: ComparedDecision }> = {
  select: [
    ...[
      'unit',
      'rollout_id',
      'attempt',
      'reason_code',
      'reason_raw',
      'category',
      'disposition',
      'why',
      'reward',
      'reward_valid',
    ],
    ...['advantage', 'score_id', 'policy_id', 'taxonomy_id', 'offset'],
  ],
  read: (reader) => ({
    unit: reader.string(),
    decision: {
      rollout_id: reader.string(),
      attempt: reader.int32(),
      reason_code: reader.string(),
      reason_raw: reader.nullableString(),
      category: reader.string(),
      disposition: dispositionOf(reader.string()),
      why: reader.array(readString),
      reward: reader.nullableFloat64(),
      reward_valid: reader.bool(),
      advantage: reader.nullableFloat64(),
      score_id: reader.uniqueString(),
      policy_id: reader.string(),
      taxonomy_id: reader.string(),
      offset: reader.int64(),
    },
  }),
};

/** What the audits had said of an attempt when it was decided. */
export interface AuditsSaid {
  /** In the order of AUDIT_NAMES. */
  readonly results: readonly AuditResult[];
  readonly missing: Readonly<Record<string, string>>;
}

export interface AuditedRow extends OfUnit {
  readonly rollout_id: string;
  readonly attempt: number;
  /** Attempts one after the other of which the same was said share it. */
  readonly said: AuditsSaid;
}

/** For one reader. */
export function auditedRows(): RowKind<AuditedRow> {
  let said: AuditsSaid = { results: [], missing: {} };
  let from = 0;
  let to = 0;
  return {
    select: ['unit', 'rollout_id', 'attempt', ...AUDIT_NAMES.map((name) => `audit_${name}`), 'audit_missing'],
    read(reader) {
      const unit = reader.string();
      const rollout_id = reader.string();
      const attempt = reader.int32();
      const { at } = reader;
      if (!reader.repeats(from, to)) {
        const results = AUDIT_NAMES.map(() => auditResult(reader.string()));
        said = { results, missing: reader.map(readString) };
        from = at;
        to = reader.at;
      }
      return { unit, rollout_id, attempt, said };
    },
  };
}

export interface FindingRow extends OfUnit {
  readonly rollout_id: string;
  readonly attempt: number;
  /** Empty: one that this version does not know. */
  readonly audit: AuditName | '';
  readonly result: AuditResult;
  /** null: the audit found nothing. */
  readonly finding: Finding | null;
  /** What an audit that could not look lacked; empty: nothing. */
  readonly missing: string;
}

/** What audits found; without tokens what a policy knows of it. */
export function findingRows(withTokens: boolean): RowKind<FindingRow> {
  return {
    select: [
      ...['unit', 'rollout_id', 'attempt', 'audit', 'result', 'class', 'severity', 'turn', 'index'],
      ...(withTokens ? ['detail', 'ids', 'expected_ids', 'text', 'expected_text'] : []),
    ],
    read(reader) {
      const unit = reader.string();
      const rollout_id = reader.string();
      const attempt = reader.int32();
      const audit = auditName(reader.string());
      const result = auditResult(reader.string());
      const name = reader.string();
      const severity = severityOf(reader.string());
      const turn = reader.int32();
      const index = reader.int64();
      const detail = withTokens ? reader.string() : '';
      const evidence = withTokens ? readEvidence(reader) : null;
      const missing = name === '' && result === 'not_auditable' ? detail : '';
      const found = {
        class: name,
        severity,
        turn: turn === -1 ? null : turn,
        index: index === -1 ? null : index,
        detail,
      };
      const of = audit === '' || name === '' ? null : { audit, ...found };
      const finding = of === null || evidence === null ? of : { ...of, evidence };
      return { unit, rollout_id, attempt, audit, result, finding, missing };
    },
  };
}

/** null: nothing was told. */
function readEvidence(reader: RowBinaryReader): Evidence | null {
  const ids = reader.array(readUint32);
  const expectedIds = reader.array(readUint32);
  const text = reader.string();
  const expectedText = reader.string();
  const evidence: Evidence = {
    ...(ids.length > 0 && { ids }),
    ...(expectedIds.length > 0 && { expectedIds }),
    ...(text !== '' && { text }),
    ...(expectedText !== '' && { expectedText }),
  };
  return Object.keys(evidence).length === 0 ? null : evidence;
}

/** A verdict that came when its attempt was decided: it is in no other table. */
export const lateVerdictRows: RowKind<Decoded> = {
  select: [
    ...['unit', 'offset', 'appended_at', 'run_id', 'purpose', 'env_name', 'task_id', 'epoch', 'group_id', 'group_size'],
    ...[
      'rollout_id',
      'attempt',
      'segment_id',
      'seq',
      'event_id',
      'producer_id',
      'started_at',
      'ended_at',
      'duration_us',
    ],
    ...['source_format', 'source_version', 'source_location', 'extra_json', 'scorer', 'scorer_version', 'status'],
    ...['rewards', 'bound_to', 'report_json'],
  ],
  read(reader) {
    const unit = reader.string();
    const cause = { offset: reader.int64(), appendedAtMs: reader.int64() / 1000 };
    return {
      unit,
      cause,
      event: {
        run_id: reader.string(),
        purpose: purposeOf(reader.string()),
        env_name: reader.string(),
        task_id: reader.string(),
        epoch: reader.int32(),
        group_id: reader.nullableString(),
        group_size: reader.nullableInt32(),
        rollout_id: reader.string(),
        attempt: reader.int32(),
        segment_id: reader.string(),
        seq: sequenced(reader.int32()),
        event_id: reader.uniqueString(),
        producer_id: reader.string(),
        kind: 'verdict',
        started_at: reader.nullableInt64(),
        ended_at: reader.nullableInt64(),
        duration_us: reader.nullableInt64(),
        source: { format: reader.string(), version: reader.string(), location: reader.nullableString() },
        extra_json: reader.nullableString(),
        start: null,
        model_call: null,
        message: null,
        tool_result: null,
        phase: null,
        verdict: {
          scorer: reader.string(),
          scorer_version: reader.string(),
          status: verdictStatus(reader.string()),
          rewards: reader.map(readNullableFloat64),
          bound_to: reader.nullableInt32(),
          report_json: reader.nullableString(),
        },
        end: null,
        control: null,
      },
    };
  },
};

function sequenced(seq: number): number | null {
  return seq === -1 ? null : seq;
}

export const newVerdictRows: RowKind<OfUnit & { readonly newVerdict: NewVerdict }> = {
  select: [...['unit', 'rollout_id', 'attempt', 'turn', 'scorer', 'scorer_version', 'status', 'rewards', 'report']],
  read(reader) {
    const unit = reader.string();
    const rolloutId = reader.string();
    const attempt = reader.int32();
    const turn = reader.int32();
    const verdict = {
      scorer: reader.string(),
      scorer_version: reader.string(),
      status: verdictStatus(reader.string()),
      rewards: reader.map(readNullableFloat64),
      bound_to: turn === -1 ? null : turn,
      report_json: reader.nullableString(),
    };
    return { unit, newVerdict: { rolloutId, attempt, verdict } };
  },
};
