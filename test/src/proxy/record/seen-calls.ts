import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventOfJson } from '../../../../src/ingest/event-json.ts';
import { parseExact } from '../../../../src/ingest/exact-json.ts';
import { isObject } from '../../../../src/ingest/exact-number.ts';
import { NOBODY, type SeenCall, writeCall } from './call-files.ts';
import { type InProcess, linesIn } from './recording-in-process.ts';

export const SECOND = 1_000_000;
export const BEGAN = 1_700_000_000_000_000;

export const named = { rollout: 'a' };
export const NAMED = { ...NOBODY, ...named };
export const DONE = { reasons: [{ raw: 'task_complete', system: 'rollstream' }] };

export interface SeenCalls {
  readonly folder: string;
  /** Of calls so far. */
  readonly count: number;
  begin(): void;
  end(): void;
  /** The file of a call. Each takes a second, and begins when the one before has ended. */
  seen(call: Omit<SeenCall, 'id'>): string;
  /** Of SGLang's `/generate`. */
  generated(
    prompt: readonly number[],
    completion: readonly number[],
    more?: object,
  ): { readonly request: object; readonly answer: object };
}

/** Files of calls in a folder of a test's own; what was recorded of them has to be what a server takes. */
export function createSeenCalls(): SeenCalls {
  let folder = '';
  let ids = 0;
  return {
    get folder() {
      return folder;
    },
    get count() {
      return ids;
    },
    begin() {
      folder = mkdtempSync(join(tmpdir(), 'rollstream-record-'));
      ids = 0;
    },
    end() {
      for (const line of linesIn(folder)) {
        const parsed = parseExact(line);
        if (parsed.kind !== 'json' || !isObject(parsed.value)) throw new Error(line);
        const defaults = { runId: null, producerId: '', format: '', location: null, groupSize: null, overrides: {} };
        eventOfJson({ value: parsed.value, sha256: '', duplicateKeys: [] }, defaults);
      }
      rmSync(folder, { recursive: true });
    },
    seen(call) {
      const n = ids++;
      return writeCall(folder, { id: `c${n}`, startedAtUs: BEGAN + n * SECOND, tookUs: SECOND, ...call });
    },
    generated: (prompt, completion, more = {}) => ({
      request: { input_ids: prompt, sampling_params: { temperature: 1 } },
      answer: {
        text: completion.map((id) => `t${id}`).join(''),
        output_ids: completion,
        meta_info: {
          ...{ id: `r${ids}`, prompt_tokens: prompt.length, completion_tokens: completion.length, weight_version: '7' },
          finish_reason: { type: 'stop', matched: completion.at(-1) },
          output_token_logprobs: completion.map((id) => [-id / 8, id, null]),
          ...more,
        },
      },
    }),
  };
}

export type Message = Readonly<Record<string, unknown>>;

/** vLLM's chat; null: without ids. */
export function chatted(
  messages: readonly Message[],
  message: Message,
  ids: { prompt: number[]; completion: number[] } | null,
) {
  const choice = ids === null ? {} : { token_ids: ids.completion };
  return {
    ...{ path: '/v1/chat/completions', engine: 'vllm' as const, request: { model: 'm', messages } },
    answer: {
      ...{ id: 'x', model: 'm', ...(ids === null ? {} : { prompt_token_ids: ids.prompt }) },
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop', ...choice }],
    },
  };
}

/** Model calls as they were recorded. */
export function calls({ events }: InProcess) {
  return events().flatMap(({ model_call: call, segment_id, extra_json, rollout_id, attempt }) =>
    call ? [{ ...call, segment_id, rollout_id, attempt, extra: JSON.parse(extra_json ?? '{}') }] : [],
  );
}
