import type { SamplingInit } from '../../../schemas/generated/step-event.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import { jsonText, unlessEmpty } from '../json-text.ts';

const NAMES = {
  temperature: 'temperature',
  top_p: 'top_p',
  top_k: 'top_k',
  max_tokens: 'max_tokens',
  max_completion_tokens: 'max_tokens',
  max_new_tokens: 'max_tokens',
  seed: 'seed',
  sampling_seed: 'seed',
} as const;
const WHOLE: readonly string[] = ['top_k', 'max_tokens', 'seed'];

type Field = (typeof NAMES)[keyof typeof NAMES];

/** How tokens were drawn: named fields, and the others beside them as they stand; null where nothing is said. */
export function requestSampling(params: JsonObject): SamplingInit | null {
  const known: Partial<Record<Field, number>> = {};
  const others: Record<string, JsonValue | undefined> = {};
  for (const [name, value] of Object.entries(params)) {
    if (value === null) continue;
    const field = isKnown(name) ? NAMES[name] : null;
    if (field === null || known[field] !== undefined || typeof value !== 'number' || !fits(field, value)) {
      others[name] = value;
    } else known[field] = value;
  }
  const rest = unlessEmpty(others);
  if (rest === undefined && Object.keys(known).length === 0) return null;
  return { ...known, extra_json: rest === undefined ? null : jsonText(rest) };
}

function isKnown(name: string): name is keyof typeof NAMES {
  return Object.hasOwn(NAMES, name);
}

/** top_k and max_tokens are ints of 32 bits, a seed one of 53. */
function fits(field: Field, value: number): boolean {
  if (!WHOLE.includes(field)) return true;
  return Number.isSafeInteger(value) && (field === 'seed' || Math.abs(value) < 2 ** 31);
}
