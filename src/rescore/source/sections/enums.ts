import type { AuditName, AuditResult } from '../../../../processors/model/audit-summary.ts';
import type { Disposition } from '../../../../schemas/generated/decision.ts';
import type {
  ControlType,
  EventKind,
  LogprobsMode,
  ParseStatus,
  PhaseName,
  Purpose,
  ToolStatus,
  VerdictStatus,
} from '../../../../schemas/generated/step-event.ts';

/** A column that holds one of a few words, as the type that it was written from. */
function oneOf<Word extends string>(words: readonly Word[], otherwise: Word): (text: string) => Word {
  const known = new Map<string, Word>([...words, otherwise].map((word) => [word, word]));
  return (text) => known.get(text) ?? otherwise;
}

export const purposeOf = oneOf<Purpose>(['train', 'eval', 'synthesis'], 'unknown');
export const kindOf = oneOf<EventKind>(
  ['start', 'model_call', 'message', 'tool_result', 'phase', 'verdict', 'end', 'control'],
  'unknown',
);
export const logprobsMode = oneOf<LogprobsMode>(['raw', 'processed'], 'unknown');
export const parseStatus = oneOf<ParseStatus>(['ok', 'malformed', 'repaired', 'in_think', 'unknown_tool'], 'unknown');
export const toolStatus = oneOf<ToolStatus>(
  ['ok', 'tool_error', 'timeout', 'cancelled', 'sandbox_error', 'rate_limited', 'not_executed'],
  'unknown',
);
export const phaseName = oneOf<PhaseName>(
  [
    ...(['queue', 'rate_limit', 'sandbox_setup', 'agent_setup', 'model', 'weight_sync', 'tool_wait', 'cpu'] as const),
    ...(['verify', 'cleanup', 'trainer_wait', 'other'] as const),
  ],
  'unknown',
);
export const verdictStatus = oneOf<VerdictStatus>(
  ['scored', 'not_run', 'timeout', 'crash', 'missing', 'parse_error', 'refused'],
  'unknown',
);
export const controlType = oneOf<ControlType>(['deadline', 'policy', 'weights_version', 'gate'], 'unknown');
export const dispositionOf = oneOf<Disposition>(
  ['train', 'train_masked', 'penalise', 'drop', 'retry', 'quarantine', 'superseded'],
  'unknown',
);
export const auditResult = oneOf<AuditResult>(['pass', 'fail', 'warn', 'not_auditable'], 'unknown');
export const severityOf = oneOf<'fail' | 'warn'>(['fail'], 'warn');
/** Empty: an audit that this version does not know. */
export const auditName = oneOf<AuditName | ''>(
  ['tokens', 'template', 'tools', 'termination', 'numbers', 'wall', 'reencode'],
  '',
);
