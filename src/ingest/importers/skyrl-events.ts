import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { arrayAt, arrayOrNull, textOrNull } from '../fields.ts';
import { unlessEmpty } from '../json-text.ts';
import { packTokenIds, sameLength } from '../packed.ts';
import { tokensInCommon } from '../token-prefixes.ts';
import { callsOfRuns, checkNumbers, runsOfMask, type TokenRun } from './flat-tokens.ts';
import { keptAway } from './kept-numbers.ts';
import { skyrlVerdict } from './skyrl-reward.ts';
import type { SkyrlRow } from './skyrl-rows.ts';

const SYSTEM = 'skyrl';

/** The rows of one trajectory, in order; `isWhole`: the last of them ends it. */
export interface SkyrlRollout {
  readonly rows: readonly SkyrlRow[];
  readonly isWhole: boolean;
}

export function addSkyrlEvents(
  out: AttemptEvents,
  { rows, isWhole }: SkyrlRollout,
  location: string,
  extra: Readonly<Record<string, JsonValue | undefined>>,
): void {
  out.add('start', { start: {} }, extra);
  const cut = rows.map(flatRow);
  let held: Buffer = Buffer.alloc(0);
  let turn = 0;
  for (const [i, row] of cut.entries()) {
    const next = cut[i + 1];
    // What a tool said at the end of a step is the beginning of what the next one is given: there it is told.
    const isRepeated = next !== undefined && tokensInCommon(next.prompt, row.ids) * 4 === row.ids.length;
    const runs = isRepeated ? withoutTail(row.runs) : row.runs;
    const heldTokens = tokensInCommon(row.prompt, held);
    const calls = callsOfRuns(runs, { ...row, heldTokens });
    for (const [k, { tokens, missingLogprobs, trailing }] of calls.entries()) {
      out.add(
        'model_call',
        { model_call: { call_id: `call-${turn++}`, ...tokens } },
        {
          missing_logprobs: missingLogprobs.length > 0 ? [...missingLogprobs] : undefined,
          trailing_input: trailing || undefined,
          // The last row's are those of the whole.
          step: k === calls.length - 1 && i < cut.length - 1 ? stepOf(rows[i], location) : undefined,
        },
      );
    }
    held = row.ids.subarray(0, 4 * runs.reduce((sum, { length }) => sum + length, 0));
  }
  const last = rows.at(-1);
  if (isWhole && last !== undefined) addEnd(out, last, location);
}

export interface FlatRow {
  readonly prompt: Buffer;
  readonly ids: Buffer;
  readonly runs: readonly TokenRun[];
  readonly logprobs: { readonly values: readonly JsonValue[]; readonly field: string; readonly from: number } | null;
}

/** The token side of a row; refuses what does not fit together. */
export function flatRow({ values, path }: SkyrlRow): FlatRow {
  const [promptField, responseField] = [path('prompt_token_ids'), path('response_ids')];
  const prompt = packTokenIds(arrayAt(values.prompt_token_ids, promptField), promptField);
  const response = arrayAt(values.response_ids, responseField);
  const maskField = path('loss_masks');
  const mask = arrayAt(values.loss_masks, maskField);
  sameLength(mask, maskField, response.length, 'response_ids');
  const field = path('rollout_logprobs');
  const logs = arrayOrNull(values.rollout_logprobs, field);
  if (logs) {
    sameLength(logs, field, response.length, 'response_ids');
    checkNumbers(logs, field);
  }
  const from = prompt.length / 4;
  return {
    prompt,
    ids: Buffer.concat([prompt, packTokenIds(response, responseField)]),
    runs: runsOfMask(mask, maskField, from),
    logprobs: logs && { values: logs, field, from },
  };
}

/** Without input that nothing of the row follows. */
function withoutTail(runs: readonly TokenRun[]): readonly TokenRun[] {
  return runs.at(-1)?.isOutput === false && runs.length > 1 ? runs.slice(0, -1) : runs;
}

/** What a row says of its step alone. */
function stepOf(row: SkyrlRow | undefined, location: string): JsonObject | undefined {
  if (row === undefined) return undefined;
  const { values } = row;
  return unlessEmpty({
    reward: values.rewards ?? undefined,
    stop_reason: values.stop_reasons ?? undefined,
    generation_time: values.trajectory_generation_times ?? undefined,
    time_splits: values.trajectory_time_splits ?? undefined,
    ...besides(row, location),
  });
}

function besides({ values, path, rest }: SkyrlRow, location: string): Record<string, JsonValue | undefined> {
  return {
    ...rest,
    env_metrics: values.env_metrics ?? undefined,
    expert_indices: keptAway(values.rollout_expert_indices, location, path('rollout_expert_indices')),
    pixel_values: keptAway(values.pixel_values, location, path('pixel_values')),
    image_grid_thw: values.image_grid_thw ?? undefined,
  };
}

const PHASES = [
  ['llm', 'model'],
  ['env', 'tool_wait'],
] as const;

function addEnd(out: AttemptEvents, row: SkyrlRow, location: string): void {
  const { values, path } = row;
  const splits = isObject(values.trajectory_time_splits) ? { ...values.trajectory_time_splits } : null;
  for (const [name, phase] of PHASES) {
    const seconds = splits?.[name];
    if (typeof seconds !== 'number' || seconds < 0 || seconds > 1e9) continue;
    out.add('phase', { phase: { phase, detail: name } }, undefined, { durationUs: Math.round(seconds * 1e6) });
    if (splits) delete splits[name];
  }
  const raw = textOrNull(values.stop_reasons, path('stop_reasons')) ?? '';
  out.add(
    'end',
    { end: { reasons: [{ raw, system: SYSTEM }] } },
    {
      ...besides(row, location),
      generation_time: values.trajectory_generation_times ?? undefined,
      time_splits: splits === null ? (values.trajectory_time_splits ?? undefined) : unlessEmpty(splits),
    },
  );
  out.addAfterEnd('verdict', { verdict: skyrlVerdict(values.rewards, path('rewards')) });
}
