/** `<|im_start|>user\nHow are you?<|im_end|>\n<|im_start|>assistant\n` of Qwen3. */
const ASKED = [151644, 872, 198, 4340, 525, 498, 30, 151645, 198, 151644, 77091, 198];
const PANTOM = [53122, 316, 151645];
/** What encoding the text of `PANTOM` again gives (cases 2, 3). */
const PANTOM_AGAIN = [393, 30002, 151645];

export interface GateRollouts {
  readonly run: string;
  readonly names: readonly string[];
  /** The second prompt holds the completion encoded again. */
  readonly drifts?: boolean;
  /** Tokens of the first prompt before the question. */
  readonly filler?: number;
}

/** Step events of rollouts of two calls, one a line, that end well and have their verdict. */
export function gateLines({ run, names, drifts = false, filler = 0 }: GateRollouts): string {
  const prompt = [...Array.from({ length: filler }, (_, i) => (i * 7919) % 150_000), ...ASKED];
  const second = drifts
    ? modelCall(1, prompt.length, [...PANTOM_AGAIN, 198, 151644, 872], [40, 151645])
    : modelCall(1, prompt.length + PANTOM.length, [198, 151644, 872], [40, 151645]);
  const contents: object[] = [
    { kind: 'start', start: { prompt: 'How are you?', weights_version: 'step-1' } },
    modelCall(0, 0, prompt, PANTOM),
    second,
    { kind: 'end', end: { reasons: [{ raw: 'task_complete', system: 'rollstream' }] } },
  ];
  const verdict = { scorer: 'sum', scorer_version: '1', status: 'scored', rewards: { correct: 1 } };
  const lines = names.flatMap((name) => {
    const identity = { run_id: run, env_name: 'asking', task_id: name, rollout_id: name, attempt: 0 };
    const events = contents.map((content, seq) => ({ ...identity, seq, ...content }));
    return [...events, { ...identity, kind: 'verdict', verdict }];
  });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function modelCall(turn: number, held: number, promptIds: readonly number[], sampled: readonly number[]): object {
  return {
    kind: 'model_call',
    model_call: {
      call_id: `call-${turn}`,
      prompt_prefix_len: held,
      prompt_delta_ids: promptIds,
      completion_ids: sampled,
      completion_logprobs: sampled.map((_, i) => -0.25 * (i + 1)),
      weight_spans: [{ start: 0, version: 'step-1' }],
      finish_reason: 'stop',
    },
  };
}
