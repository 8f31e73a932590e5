import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { LimitHitInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { numberOrNull, textOrNull } from '../fields.ts';
import { leftover, unlessEmpty } from '../json-text.ts';

const SYSTEM = 'mini-swe-agent';

export interface MiniSweEnding {
  readonly info: JsonObject;
  /** Extra of the last message, which says how it ended, too. */
  readonly last: JsonObject;
  /** What else the document has. */
  readonly rest: JsonObject | undefined;
}

/** No verifier runs in the loop: what is submitted is judged elsewhere. */
export function addMiniSweEnd(out: AttemptEvents, { info, last, rest }: MiniSweEnding): void {
  const raw = textOrNull(info.exit_status, 'info.exit_status') ?? textIn(last.exit_status) ?? '';
  const submission = textIn(info.submission) ?? textIn(last.submission);
  const message = textIn(info.exception_str) ?? textIn(last.exception_str);
  const known = [
    'exit_status',
    'config',
    ...(submission === info.submission && submission !== '' ? ['submission'] : []),
  ];
  if (message !== null && message === info.exception_str) known.push('exception_str');
  out.add(
    'end',
    {
      end: {
        reasons: [{ raw, system: SYSTEM }],
        final_response: submission === null || submission === '' ? null : bytesOfText(submission),
        exception: message === null ? null : { type: raw, message },
        limit: raw === 'LimitsExceeded' ? provedLimit(info) : null,
      },
    },
    { ...rest, info: unlessEmpty(leftover(info, known) ?? {}) },
  );
  out.addAfterEnd('verdict', { verdict: { scorer: SYSTEM, status: 'not_run' } });
}

function textIn(value: JsonValue | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/**
 * LimitsExceeded means calls or cost. The loop compares both in one line, so its own figures tell which it was where they meet one
 * of the limits and not the other; else it stays what it is.
 */
function provedLimit(info: JsonObject): LimitHitInit | null {
  const config = isObject(info.config) && isObject(info.config.agent) ? info.config.agent : {};
  const stats = isObject(info.model_stats) ? info.model_stats : {};
  const turns = reached('turns', numberOrNull(config.step_limit), numberOrNull(stats.api_calls));
  const cost = reached('cost', numberOrNull(config.cost_limit), numberOrNull(stats.instance_cost));
  if (turns === undefined || cost === undefined) return null;
  return turns === null ? cost : cost === null ? turns : null;
}

/** undefined: not known; null: not reached. A limit of 0 is none. */
function reached(kind: string, limit: number | null, used: number | null): LimitHitInit | null | undefined {
  if (limit === null || used === null) return undefined;
  return limit > 0 && limit <= used ? { kind, limit, used } : null;
}
