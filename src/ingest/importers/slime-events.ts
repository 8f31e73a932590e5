import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { booleanOr, textOrNull } from '../fields.ts';
import { jsonText, leftover, unlessEmpty } from '../json-text.ts';
import { createChat } from './chat-messages.ts';
import { keptAway, keptNumbers } from './kept-numbers.ts';
import { slimeTokens, slimeWeights } from './slime-tokens.ts';
import { slimeVerdict } from './slime-verdict.ts';

const SYSTEM = 'slime';

/** Where a sample stands: for messages, and for what does not travel. */
export interface SlimePlace {
  /** Of its fields: '' or `samples[3].`. */
  readonly path: string;
  /** File and line. */
  readonly location: string;
}

type Kept = Readonly<Record<string, JsonValue | undefined>>;

/** Fields that an event has a place for, or whose values are as many as the tokens. */
const KNOWN = [
  'group_index',
  'index',
  'prompt',
  'tokens',
  'response',
  'response_length',
  'label',
  'reward',
  'loss_mask',
  'weight_versions',
  'rollout_log_probs',
  'status',
  'remove_sample',
  'metadata',
  'train_metadata',
  'apply_chat_template_kwargs',
  'session_id',
  'non_generation_time',
];
const PER_TOKEN = ['teacher_log_probs', 'rollout_top_p_token_ids', 'rollout_top_p_token_offsets'];
const LARGE = ['rollout_routed_experts', 'multimodal_inputs', 'multimodal_train_inputs'];

/** All events of one sample, in order: start, prompt, a call for each run of sampled tokens, time outside of them, end, verdict. */
export function addSlimeEvents(out: AttemptEvents, sample: JsonObject, place: SlimePlace, extra: Kept): void {
  const { path } = place;
  const { prompt, apply_chat_template_kwargs: variables, session_id } = sample;
  const isVariables = isObject(variables) && Object.keys(variables).length > 0;
  const metadata = unlessEmpty({
    label: sample.label ?? undefined,
    metadata: sample.metadata ?? undefined,
    train_metadata: sample.train_metadata ?? undefined,
  });
  out.add(
    'start',
    {
      start: {
        prompt: typeof prompt === 'string' ? bytesOfText(prompt) : null,
        task_metadata_json: metadata === undefined ? null : jsonText(metadata),
        template_vars_json: isVariables ? jsonText(variables) : null,
      },
    },
    {
      ...extra,
      session_id: session_id ?? undefined,
      prompt: typeof prompt === 'string' || Array.isArray(prompt) ? undefined : (prompt ?? undefined),
      apply_chat_template_kwargs: isObject(variables) ? undefined : (variables ?? undefined),
    },
  );
  if (Array.isArray(prompt)) {
    const chat = createChat(out);
    for (const [i, message] of prompt.entries()) chat.add(message, `${path}prompt[${i}]`, true);
  }
  const ending = addCalls(out, sample, path);
  const seconds = sample.non_generation_time;
  const isTime = typeof seconds === 'number' && seconds > 0 && seconds < 1e9;
  if (isTime) {
    const phase = { phase: 'other', detail: 'non_generation_time' } as const;
    out.add('phase', { phase }, undefined, { durationUs: Math.round(seconds * 1e6) });
  }
  addEnd(out, sample, place, { ...ending, non_generation_time: isTime ? undefined : (seconds ?? undefined) });
}

/** What of the response no call holds, for the end. */
function addCalls(out: AttemptEvents, sample: JsonObject, path: string): Kept {
  const { calls, isOneCompletion } = slimeTokens(sample, path);
  const weights = slimeWeights(sample.weight_versions, path, calls.filter(({ trailing }) => !trailing).length);
  const response = textOrNull(sample.response, `${path}response`) ?? '';
  // Without tokens the text is all there is of the call.
  const isText = response !== '' && (isOneCompletion || calls.length === 0);
  const raw_text = isText ? bytesOfText(response) : null;
  for (const [turn, { tokens, missingLogprobs, trailing }] of calls.entries()) {
    out.add(
      'model_call',
      {
        model_call: {
          call_id: `call-${turn}`,
          ...tokens,
          weight_spans: trailing ? [] : weights.of(turn),
          raw_text: trailing ? null : raw_text,
        },
      },
      {
        missing_logprobs: missingLogprobs.length > 0 ? [...missingLogprobs] : undefined,
        trailing_input: trailing || undefined,
      },
    );
  }
  if (calls.length === 0 && isText) out.add('model_call', { model_call: { call_id: 'call-0', raw_text } });
  return {
    // With what tools said between the calls, as slime put it together.
    response: isText || response === '' ? undefined : response,
    weight_versions: weights.isWhole ? undefined : sample.weight_versions,
  };
}

function addEnd(out: AttemptEvents, sample: JsonObject, { path, location }: SlimePlace, ending: Kept): void {
  const status = textOrNull(sample.status, `${path}status`) ?? '';
  const reasons = [{ raw: status, system: SYSTEM }];
  if (booleanOr(sample.remove_sample, `${path}remove_sample`, false)) {
    reasons.push({ raw: 'remove_sample', system: SYSTEM });
  }
  const beside: Record<string, JsonValue | undefined> = {};
  for (const key of PER_TOKEN) beside[key] = keptNumbers(sample[key], location, `${path}${key}`);
  for (const key of LARGE) beside[key] = keptAway(sample[key], location, `${path}${key}`);
  const rest = leftover(sample, [...KNOWN, ...PER_TOKEN, ...LARGE]);
  out.add('end', { end: { reasons } }, { ...rest, ...beside, ...ending });
  out.addAfterEnd('verdict', { verdict: slimeVerdict(sample.reward, `${path}reward`, status) });
}
