import type { RawReason } from '../../schemas/generated/step-event.ts';
import type { Reason } from '../../schemas/generated/trajectory.ts';
import { type Attempt, isWhole } from '../model/attempt.ts';
import type { Taxonomy } from '../model/taxonomy.ts';
import { classify } from '../taxonomy/classify.ts';

/** System of exceptions that any loop may meet. */
const ANY = 'exception';

/** Why an attempt ended. */
export interface Reasons {
  /** What the source said, then what the pipeline found: a deadline that closed it unfinished, a record it cannot assemble. */
  readonly stated: readonly Reason[];
  /** What the exception that ended the loop says besides; null: there is none, or it is not mapped, or it says the same. */
  readonly raised: Reason | null;
}

export function reasonsOf(attempt: Attempt, taxonomy: Taxonomy): Reasons {
  const { end, facts } = attempt;
  const stated: Reason[] = [];
  for (const reason of end?.reasons ?? [])
    for (const found of classify(taxonomy, reason, facts)) {
      if (taxonomy.refinedByLimit.has(found.code)) stated.push(...limitOf(attempt, taxonomy, found));
      stated.push(found);
    }
  const found = (raw: string) =>
    stated.push(...classify(taxonomy, { raw, system: 'rollstream', detail: null, after_end: false }, facts));
  if (attempt.expiredBy !== null && !isWhole(attempt)) found(attempt.expiredBy);
  if (attempt.corrupt !== null) found(attempt.corrupt);
  return { stated, raised: raisedOf(attempt, taxonomy, stated) };
}

/** `LimitsExceeded` is of steps or of cost; where the end event names the limit, that reason comes first. */
function limitOf({ end, facts }: Attempt, taxonomy: Taxonomy, { after_end }: Reason): readonly Reason[] {
  const raw = end?.limit?.kind ?? null;
  if (raw === null || mapped(taxonomy, 'limit', raw) === null) return [];
  return classify(taxonomy, { raw, system: 'limit', detail: null, after_end: after_end === true }, facts);
}

/**
 * `exit_error` says that something was raised; the class of it says what. One that the taxonomy does not map adds nothing:
 * the loop has given its own reason. Text beside a completion is no exception.
 */
function raisedOf({ end, facts }: Attempt, taxonomy: Taxonomy, stated: readonly Reason[]): Reason | null {
  const first = end?.reasons[0];
  if (end === null || (end.exception === null && stated[0]?.category === 'completion')) return null;
  const { exception } = end;
  const detail = exception === null ? (first?.detail ?? null) : exception.message;
  const type = exception?.type ?? null;
  // A type may be of the system's own; text is searched for what any loop may meet, and for nothing else.
  const own = type !== null && first !== undefined ? mapped(taxonomy, first.system, type) : null;
  const name = type ?? classIn(detail);
  const raw = own ?? (name === null ? null : mapped(taxonomy, ANY, name));
  if (raw === null) return null;
  const afterEnd = exception === null && first?.after_end === true;
  const reason = classify(taxonomy, { ...raw, detail, after_end: afterEnd }, facts)[0];
  return reason === undefined || stated.some(({ code }) => code === reason.code) ? null : reason;
}

function mapped(taxonomy: Taxonomy, system: string, raw: string): Pick<RawReason, 'raw' | 'system'> | null {
  return taxonomy.codesOf(system, raw).length > 0 ? { raw, system } : null;
}

/** `litellm.RateLimitError: 429 …` begins with its class. */
function classIn(text: string | null): string | null {
  return text === null ? null : (/^[A-Za-z_][\w.]{2,120}(?=:|\(|$)/.exec(text)?.[0] ?? null);
}
