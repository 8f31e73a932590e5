import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { LimitHitInit, RawReasonInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonValue } from '../exact-number.ts';
import { numberOrNull, Refused, shown } from '../fields.ts';
import { leftover } from '../json-text.ts';
import { type SweRun, sweSettings } from './swe-agent-record.ts';

const SYSTEM = 'swe-agent';
const COMPOSITE = /^submitted \((.*)\)$/s;

/** `submitted (exit_cost)` says two things: a patch was submitted, and the loop had met its limit. null is an empty reason. */
export function sweReasons(status: JsonValue | undefined, field: string): RawReasonInit[] {
  if (status === undefined || status === null) return [{ raw: '', system: SYSTEM }];
  if (typeof status === 'number') return [{ raw: String(status), system: SYSTEM }];
  if (typeof status !== 'string') throw new Refused(field, 'a string, an integer or null', shown(status));
  const reasons: RawReasonInit[] = [];
  let raw = status;
  for (let found = COMPOSITE.exec(raw); found !== null; found = COMPOSITE.exec(raw)) {
    reasons.push({ raw: 'submitted', system: SYSTEM });
    raw = found[1] ?? '';
  }
  return [...reasons, { raw, system: SYSTEM }];
}

/** No verifier runs in the loop: what is submitted is judged elsewhere. */
export function addSweEnd(
  out: AttemptEvents,
  run: SweRun,
  extra: Readonly<Record<string, JsonValue | undefined>>,
): void {
  const { info, path, value } = run;
  const { exit_status, submission, ...rest } = info;
  const reasons = sweReasons(exit_status, `${path}info.exit_status`);
  const isPatch = typeof submission === 'string';
  out.add(
    'end',
    {
      end: {
        reasons,
        final_response: isPatch ? bytesOfText(submission) : null,
        limit: reasons.some(({ raw }) => raw === 'exit_cost') ? costLimit(run) : null,
      },
    },
    {
      ...extra,
      ...leftover(value, ['trajectory', 'history', 'info', 'replay_config', 'environment']),
      info: { ...rest, ...(isPatch || submission === undefined ? {} : { submission }) },
      chosen: run.chosen,
    },
  );
  out.addAfterEnd('verdict', { verdict: { scorer: SYSTEM, status: 'not_run' } });
}

function costLimit({ info, config }: SweRun): LimitHitInit {
  const stats = isObject(info.model_stats) ? info.model_stats : {};
  const limit = numberOrNull(sweSettings(config).model.per_instance_cost_limit);
  return { kind: 'cost', limit, used: numberOrNull(stats.instance_cost) };
}
