import type { StepEvent } from '../../schemas/generated/step-event.ts';
import { deadLetter, type Outcome } from '../model/outcome.ts';

const STAGE = 'decode';
const BODIES = ['start', 'model_call', 'message', 'tool_result', 'phase', 'verdict', 'end', 'control'] as const;
/** These have no place in a producer's own order: they are ordered by offset and told apart by event_id. */
const UNSEQUENCED = new Set<string>(['verdict', 'control']);

/** What the schema cannot say of an event; null when it is sound. Fields are named as producers write them. */
export function eventFault(event: StepEvent): Outcome<never> | null {
  return identityFault(event) ?? bodyFault(event) ?? seqFault(event) ?? (event.model_call ? callFault(event) : null);
}

function identityFault(event: StepEvent): Outcome<never> | null {
  if (event.kind !== 'control') {
    if (event.run_id === '') return fault('run_id', 'an id', 'empty text');
    if (event.rollout_id === '') return fault('rollout_id', 'an id', 'empty text');
    if (event.producer_id === '') return fault('producer_id', 'an id', 'empty text');
  }
  if (event.event_id === '') return fault('event_id', 'an id', 'empty text');
  if (event.attempt < 0) return fault('attempt', 'a number from 0 on', String(event.attempt));
  if (event.epoch < 0) return fault('epoch', 'a number from 0 on', String(event.epoch));
  if (event.group_size !== null && event.group_size < 1)
    return fault('group_size', 'a number from 1 on, or null', String(event.group_size));
  if (event.group_size !== null && event.group_id === null) return fault('group_id', 'an id beside group_size', 'null');
  return null;
}

function bodyFault(event: StepEvent): Outcome<never> | null {
  if (event.kind === 'unknown') return fault('kind', BODIES.join(', '), 'a kind that this version does not know');
  for (const body of BODIES) {
    if ((event[body] !== null) !== (body === event.kind))
      return fault(
        body,
        body === event.kind ? `set, since kind is ${event.kind}` : `null, since kind is ${event.kind}`,
        event[body] === null ? 'null' : 'set',
      );
  }
  return null;
}

function seqFault(event: StepEvent): Outcome<never> | null {
  const { seq, kind } = event;
  if (seq === null)
    return UNSEQUENCED.has(kind) || kind === 'phase' ? null : fault('seq', `a number, for kind ${kind}`, 'null');
  if (UNSEQUENCED.has(kind)) return fault('seq', `null, for kind ${kind}`, String(seq));
  if (seq < 0) return fault('seq', 'a number from 0 on', String(seq));
  if ((seq === 0) !== (kind === 'start'))
    return fault('seq', seq === 0 ? 'kind start at 0' : '0, for kind start', `${kind} at ${seq}`);
  return null;
}

function callFault(event: StepEvent): Outcome<never> | null {
  const call = event.model_call;
  if (call === null) return null;
  if (call.prompt_prefix_len < 0)
    return fault('model_call.prompt_prefix_len', 'a number from 0 on', String(call.prompt_prefix_len));
  const completion = call.completion_ids?.length ?? 0;
  for (const name of ['prompt_delta_ids', 'completion_ids', 'completion_logprobs'] as const) {
    const bytes = call[name];
    if (bytes !== null && bytes.length % 4 !== 0)
      return fault(`model_call.${name}`, 'a multiple of 4 bytes', `${bytes.length} bytes`);
  }
  if ((call.completion_ids === null) !== (call.prompt_delta_ids === null) && call.error === null)
    return fault('model_call.completion_ids', 'token ids of prompt and completion, or of neither', 'one of them');
  if (call.completion_logprobs !== null && call.completion_logprobs.length !== completion)
    return fault(
      'model_call.completion_logprobs',
      `${completion / 4} values, one a token of completion_ids`,
      `${call.completion_logprobs.length / 4}`,
    );
  let from = -1;
  for (const span of call.weight_spans) {
    if (span.start <= from || span.start < 0 || (span.start >= completion / 4 && span.start > 0))
      return fault('model_call.weight_spans', `starts that rise within ${completion / 4} tokens`, String(span.start));
    from = span.start;
  }
  return null;
}

function fault(field: string, expected: string, got: string): Outcome<never> {
  return deadLetter(STAGE, 'invalid_field', field, expected, got);
}
