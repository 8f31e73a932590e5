const PROMPT_IDS = Array.from({ length: 256 }, (_, n) => n);
const COMPLETION_IDS = Array.from({ length: 256 }, (_, n) => 1_000 + n);
const LOGPROBS = COMPLETION_IDS.map(() => -0.25);

const VERDICT = { scorer: 's', status: 'scored', rewards: { reward: 1 } };

/** Events of each of these rollouts. */
export const EVENTS = 4;

/** Whole rollouts of a model call and a verdict each, as lines of POST /v1/steps. */
export function rolloutLines(run: string, name: string, rollouts: number): string {
  const lines: string[] = [];
  for (let n = 0; n < rollouts; n++) {
    const of = { run_id: run, rollout_id: `${name}-${n}`, producer_id: run };
    const call = { call_id: 'c', prompt_delta_ids: PROMPT_IDS, completion_ids: COMPLETION_IDS };
    lines.push(
      JSON.stringify({ ...of, kind: 'start', seq: 0, start: { prompt: '2+2?' } }),
      JSON.stringify({
        ...{ ...of, kind: 'model_call', seq: 1 },
        model_call: { ...call, completion_logprobs: LOGPROBS, finish_reason: 'stop' },
      }),
      JSON.stringify({ ...of, kind: 'verdict', verdict: VERDICT }),
      JSON.stringify({
        ...{ ...of, kind: 'end', seq: 2 },
        end: { reasons: [{ raw: 'task_complete', system: 'strands-env' }] },
      }),
    );
  }
  return `${lines.join('\n')}\n`;
}
