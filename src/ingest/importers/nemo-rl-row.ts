import type { JsonObject, JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull, countOrNull, Refused, shown } from '../fields.ts';
import { packTokenIds, sameLength } from '../packed.ts';
import { type CallTokens, callsOfRuns, checkNumbers, runsOfMask } from './flat-tokens.ts';

/** The logger writes batches of one: each value stands in a list by itself. `wrapped` says so, for messages. */
export interface NemoRlRow {
  readonly values: JsonObject;
  path(field: string): string;
}

/** Takes the lists of one off; `idx` is the row's number, and has none. */
export function nemoRlRow(line: JsonObject): NemoRlRow {
  const ids = arrayAt(line.token_ids, 'token_ids');
  if (!Array.isArray(ids[0])) return { values: line, path: (field) => field };
  const values: JsonObject = {};
  for (const [key, value] of Object.entries(line)) {
    if (!Array.isArray(value)) values[key] = value;
    else if (value.length === 1) values[key] = value[0] ?? null;
    else
      throw new Refused(key, '1 value, as the others', String(value.length), `${value.length} values for 1 token_ids`);
  }
  return { values, path: (field) => `${field}[0]` };
}

export interface NemoRlTokens {
  readonly calls: readonly CallTokens[];
  /** Tokens behind the end of the sequence, which fill it up to the longest of its batch. */
  readonly padding: JsonValue | undefined;
}

/** Sequences are as long as the longest of their batch: `input_lengths` says where this one ends. */
export function nemoRlTokens({ values, path }: NemoRlRow): NemoRlTokens {
  const field = path('token_ids');
  const ids = arrayAt(values.token_ids, field);
  const maskField = path('token_loss_mask');
  const mask = arrayAt(values.token_loss_mask, maskField);
  sameLength(mask, maskField, ids.length);
  const logsField = path('generation_logprobs');
  const logs = arrayOrNull(values.generation_logprobs, logsField);
  if (logs) {
    sameLength(logs, logsField, ids.length);
    checkNumbers(logs, logsField);
  }
  const length = lengthOf(values.input_lengths, ids.length, path('input_lengths'));
  const sampled = mask.findIndex((value, i) => i >= length && value !== 0);
  if (sampled !== -1) throw new Refused(`${maskField}[${sampled}]`, '0 in the padding', shown(mask[sampled]));
  const logprobs = logs && { values: logs, field: logsField, from: 0 };
  const runs = runsOfMask(mask.slice(0, length), maskField);
  return {
    calls: callsOfRuns(runs, { ids: packTokenIds(ids, field, 0, length), logprobs }),
    padding: paddingOf(ids.slice(length)),
  };
}

function lengthOf(value: JsonValue | undefined, tokens: number, field: string): number {
  if (value === undefined || value === null) return tokens;
  const length = countOrNull(value);
  if (length !== null && length <= tokens) return length;
  throw new Refused(field, `a number of tokens, at most ${tokens}`, shown(value));
}

function paddingOf(tail: readonly JsonValue[]): JsonValue | undefined {
  const [first] = tail;
  if (first === undefined) return undefined;
  return tail.every((id) => id === first) ? { token_id: first, count: tail.length } : [...tail];
}
