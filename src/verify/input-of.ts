import { conversationOf } from '../export/conversation-of.ts';
import { parsedJson } from '../export/parsed-json.ts';
import type { SaidCall, SaidEvent } from '../export/said-events.ts';
import type { AttemptInput } from './attempt-input.ts';
import type { JudgedAttempt } from './judged-attempt.ts';

/** An event of an attempt, as `steps` has it; what its kind does not have is null or empty. */
export interface ToldEvent extends Omit<SaidEvent, 'kind' | 'calls'> {
  readonly kind: SaidEvent['kind'] | 'end';
  readonly call_ids: readonly string[];
  readonly call_names: readonly (string | null)[];
  readonly call_raw: readonly (string | null)[];
  readonly call_parsed: readonly (string | null)[];
  readonly call_starts: readonly (number | null)[];
  readonly task_metadata_json: string | null;
  readonly reasons_raw: readonly string[];
  readonly reasons_system: readonly string[];
  readonly env_reward: number | null;
}

/** What a verifier is shown of an attempt, from its events in order. */
export function inputOf(attempt: JudgedAttempt, events: readonly ToldEvent[]): AttemptInput {
  const { run_id, env_name, task_id, rollout_id } = attempt;
  const start = events.find(({ kind }) => kind === 'start');
  const end = events.find(({ kind }) => kind === 'end');
  const conversation = conversationOf(events.flatMap(saidOf));
  const input = {
    ...{ run_id, env_name, task_id, rollout_id, attempt: attempt.attempt },
    task: taskOf(start?.task_metadata_json ?? null),
    prompt: start?.text ?? null,
    messages: 'reason' in conversation ? null : conversation.messages,
    no_messages: 'reason' in conversation ? conversation.reason : null,
    final_response: end?.text ?? null,
    reasons: (end?.reasons_raw ?? []).map((raw, i) => ({ raw, system: end?.reasons_system[i] ?? '' })),
    env_reward: end?.env_reward ?? null,
  };
  // Neither what it said last nor what was said: whoever judges it would judge nothing.
  const isLost = input.final_response === null && input.messages === null;
  return { attempt, input, refused: isLost ? (input.no_messages ?? 'no_messages') : null };
}

function saidOf(event: ToldEvent): SaidEvent[] {
  const { kind, call_ids, call_names, call_raw, call_parsed, call_starts } = event;
  if (kind === 'end') return [];
  const calls = call_ids.map((id, i): SaidCall => {
    return [id, call_names[i] ?? null, call_raw[i] ?? null, call_parsed[i] ?? null, call_starts[i] ?? null];
  });
  return [{ ...event, kind, calls }];
}

/** JSON as it was given; text where it is none. */
function taskOf(json: string | null): unknown {
  return json === null ? null : (parsedJson(json) ?? json);
}
