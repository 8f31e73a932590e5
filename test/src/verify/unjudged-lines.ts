import { writeFileSync } from 'node:fs';

export interface Unjudged {
  readonly run: string;
  readonly rollout: string;
  readonly attempt?: number;
  /** Final response; null: none, and what was said was not kept. */
  readonly response: string | null;
  readonly answer: string;
  /** The end is still to come. */
  readonly isOpen?: boolean;
}

/** Writes rollouts that a model answered and nobody has judged, as step events. */
export function writeUnjudged(path: string, rollouts: readonly Unjudged[]): string {
  const lines = rollouts.flatMap(({ run, rollout, attempt = 0, response, answer, isOpen = false }) => {
    const base = {
      ...{ run_id: run, env_name: 'sums', task_id: 'sum', rollout_id: rollout, attempt, producer_id: 'p' },
      source: { format: 'test', version: '1' },
    };
    const call = { call_id: 'c', prompt_prefix_len: 0, prompt_delta_ids: [1], completion_ids: [2, 3] };
    const reason = { system: 'strands-env', raw: 'task_complete' };
    const start = { prompt: 'what is the sum?', task_metadata_json: JSON.stringify({ ground_truth: answer }) };
    const id = `${run}.${rollout}.${attempt}`;
    const events = [
      { ...base, seq: 0, event_id: `${id}.0`, kind: 'start', start },
      { ...base, seq: 1, event_id: `${id}.1`, kind: 'model_call', model_call: { ...call, raw_text: response } },
      { ...base, seq: 2, event_id: `${id}.2`, kind: 'end', end: { reasons: [reason], final_response: response } },
    ];
    return isOpen ? events.slice(0, 2) : events;
  });
  writeFileSync(path, lines.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return path;
}
