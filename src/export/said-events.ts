import type { Store } from '../clickhouse/port.ts';

/** What an event of an attempt says of its conversation: columns of `steps`. */
export interface SaidEvent {
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
  readonly segment_id: string;
  readonly kind: 'start' | 'message' | 'model_call' | 'tool_result';
  readonly source_format: string;
  /** Prompt, parts as JSON, completion before any parser, or what the model was shown; null: none was told. */
  readonly text: string | null;
  readonly extra_json: string | null;
  readonly role: string;
  readonly call_id: string | null;
  readonly tool_name: string | null;
  readonly tools_json: string | null;
  readonly has_completion_ids: boolean;
  readonly n_completion: number;
  readonly calls: readonly SaidCall[];
}

export type SaidCall = readonly [
  callId: string,
  name: string | null,
  argumentsRaw: string | null,
  argumentsParsed: string | null,
  charStart: number | null,
];

/** In order within each attempt. */
export function readSaid(store: Store, runId: string, rolloutIds: readonly string[]): Promise<SaidEvent[]> {
  return store.query<SaidEvent>(
    `SELECT unit, rollout_id, attempt, segment_id, kind, source_format, text, extra_json, role, call_id, tool_name,
       tools_json, has_completion_ids, length(completion_ids) AS n_completion,
       arrayZip(tool_calls.call_id, tool_calls.name, tool_calls.arguments_raw, tool_calls.arguments_parsed,
         tool_calls.char_start) AS calls
     FROM rollstream.live_steps
     WHERE run_id = {run:String} AND rollout_id IN {rollouts:Array(String)}
       AND kind IN ('start', 'message', 'model_call', 'tool_result')
     ORDER BY unit, rollout_id, attempt, seq
     SETTINGS output_format_json_named_tuples_as_objects = 0`,
    { run: runId, rollouts: rolloutIds },
  );
}
