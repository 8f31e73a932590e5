/** Messages of A2E as its agent and its host write them; times in unix seconds. */
export const T0 = 1_760_000_000;

export interface Wire {
  readonly lines: object[];
  send(type: string, at: number, fields?: object): string;
}

/** Numbers its messages `m1`, `m2` … */
export function createWire(version: object = { version: '1.0' }): Wire {
  const lines: object[] = [];
  return {
    lines,
    send(type, at, fields = {}) {
      const id = `m${lines.length + 1}`;
      lines.push({ type, id, ...version, ts: T0 + at, ...fields });
      return id;
    },
  };
}

export function observed(episode_id: string, step_num: number, change: object = {}): object {
  const state = { out: `state ${step_num}` };
  return {
    episode_id,
    step_num,
    state,
    done: false,
    truncated: false,
    reward: 0.0,
    created_at: T0,
    metadata: {},
    ...change,
  };
}

/** A reset and its answer. */
export function reset(wire: Wire, at: number, episode: string, options: object = {}): void {
  const req_id = wire.send('env/reset/req', at, { env_name: 'shop', seed: 7, options });
  wire.send('env/reset/resp', at + 0.5, { req_id, obs: observed(episode, 0) });
}

/** A step and its answer. */
export function step(wire: Wire, at: number, episode: string, action: object, change: object = {}): void {
  const req_id = wire.send('env/step/req', at, { episode_id: episode, action });
  wire.send('env/step/resp', at + 0.25, { req_id, obs: observed(episode, 1, change) });
}

/** A call of SGLang's /generate as a recorder beside the wire writes it. */
export function generated(
  episode_id: string,
  at: number,
  call: {
    id: string;
    prompt: number[];
    ids: number[];
    logprobs: number[];
    text: string;
    meta?: object;
    answer?: object;
  },
): object {
  const { id, prompt, ids, logprobs, text, meta, answer } = call;
  return {
    type: 'model_call',
    episode_id,
    ts: T0 + at,
    duration_us: 120_000,
    request: {
      input_ids: prompt,
      sampling_params: { temperature: 0.7, top_p: 0.9, max_new_tokens: 64, stop: ['<end>'] },
    },
    response: {
      text,
      output_ids: ids,
      meta_info: {
        id,
        finish_reason: { type: 'stop', matched: 99 },
        prompt_tokens: prompt.length,
        completion_tokens: ids.length,
        cached_tokens: 0,
        reasoning_tokens: 0,
        num_retractions: 0,
        weight_version: '8',
        output_token_logprobs: ids.map((token, i) => [logprobs[i], token, null]),
        output_token_logprobs_length: ids.length,
        e2e_latency: 0.12,
        ...meta,
      },
      ...answer,
    },
  };
}

/** An episode of two calls and two steps that ends with reward 1: its second prompt goes on from what was sampled. */
export function wholeEpisode(episode: string, options: object = {}): object[] {
  const wire = createWire();
  reset(wire, 0, episode, options);
  wire.lines.push(
    generated(episode, 1, {
      id: `${episode}-g1`,
      prompt: [9, 17, 10],
      ids: [19, 99],
      logprobs: [-0.5, -0.25],
      text: 'look',
    }),
  );
  step(wire, 2, episode, { action_type: 'look', payload: { at: 'shelf' } });
  wire.lines.push(
    generated(episode, 3, {
      id: `${episode}-g2`,
      prompt: [9, 17, 10, 19, 99, 40, 41],
      ids: [21, 22, 99],
      logprobs: [-1, -0.125, 0],
      text: 'buy',
      meta: {
        weight_version: '9',
        weight_versions: [
          { version: '8', start: 0, end: 1 },
          { version: '9', start: 1, end: 3 },
        ],
      },
    }),
  );
  step(wire, 4, episode, { action_type: 'buy', payload: { item: 'tea' } }, { done: true, reward: 1.0 });
  const req = wire.send('env/close/req', 5, { episode_id: episode });
  // Their answer to a close has no req_id.
  wire.send('env/close/resp', 5.25, { closed: true });
  return wire.lines.map((line) => renamed(line, episode, req));
}

/** Ids of messages are unique on the wire. */
function renamed(line: object, episode: string, _last: string): object {
  return JSON.parse(JSON.stringify(line).replace(/"(id|req_id)":"m(\d+)"/g, `"$1":"${episode}-m$2"`));
}
