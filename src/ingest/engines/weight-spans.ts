import type { WeightSpanInit } from '../../../schemas/generated/step-event.ts';
import { ExactNumber, isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { countOrNull } from '../fields.ts';

export interface WeightSpans {
  readonly spans: WeightSpanInit[];
  readonly extra: Readonly<Record<string, JsonValue | undefined>>;
}

/**
 * Half-open spans by output token are taken where they cover every token. A version alone is stamped when the output is
 * handled: one span, and the extra says that a change within the call would not show. `tokens`: null where they are unknown.
 */
export function weightSpans(meta: JsonObject, tokens: number | null, disagreement: JsonObject): WeightSpans {
  const { weight_versions: versions, weight_version: version } = meta;
  if (Array.isArray(versions)) {
    const spans = covering(versions, tokens);
    // Of tokens that nobody has there is only one beginning.
    if (spans !== null && (tokens !== null || spans.length <= 1)) {
      const isLast = spans.length > 0 && spans.at(-1)?.version === versionText(version);
      return { spans, extra: { weight_version: version === undefined || isLast ? undefined : version } };
    }
    // A hole would be filled by the version before it, which did not sample those tokens.
    if (tokens !== null) disagreement.weight_versions = 'do not cover the tokens one by one';
    return { spans: [], extra: { weight_versions: versions, weight_version: version } };
  }
  const name = versionText(version);
  if (name === null || tokens === 0) return { spans: [], extra: { weight_version: version ?? undefined } };
  return { spans: [{ start: 0, version: name }], extra: { weight_version_stamped: 'at_output' } };
}

function covering(given: readonly JsonValue[], tokens: number | null): WeightSpanInit[] | null {
  const spans: WeightSpanInit[] = [];
  let at = 0;
  for (const span of given) {
    if (!isObject(span)) return null;
    const start = countOrNull(span.start);
    const end = countOrNull(span.end);
    const version = versionText(span.version);
    if (start !== at || end === null || end < start || version === null) return null;
    if (end > start) spans.push({ start, version });
    at = end;
  }
  return tokens === null || at === tokens ? spans : null;
}

function versionText(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof ExactNumber ? value.text : null;
}
