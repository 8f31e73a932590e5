import { engineAnswerOf } from '../engines/engine-answer.ts';
import { countOrNull, objectOrNull, Refused, shown } from '../fields.ts';
import { heldBytes } from '../held-rollouts.ts';
import type { RecordedCall } from './a2e-episode.ts';
import type { A2eMessage } from './a2e-message.ts';

const PATHS = { request: 'request', response: 'response' };

/** A recorded model call, packed as soon as it is read: its text form takes many times as much. */
export function recordedCall(message: A2eMessage): { readonly held: A2eMessage; readonly call: RecordedCall } {
  const { request, response, ...rest } = message.value;
  const asked = objectOrNull(request, 'request') ?? {};
  const hasAnswer = response !== undefined && response !== null;
  if (!hasAnswer && (rest.error === undefined || rest.error === null))
    throw new Refused('response', 'an answer of the engine, or error', shown(response));
  const answer = hasAnswer ? engineAnswerOf(asked, response, PATHS) : null;
  const kept = answer === null ? { ...rest, request: asked } : rest;
  const tokens = [answer?.prompt, answer?.call.completion_ids, answer?.call.completion_logprobs, answer?.call.raw_text];
  const packed = tokens.reduce((sum, part) => sum + (part?.length ?? 0), 0);
  const bytes = packed + heldBytes(kept) + 2_000 + extraBytes(answer?.extra);
  const held = { ...message, value: kept, bytes };
  return { held, call: { kind: 'call', message: held, answer, durationUs: countOrNull(rest.duration_us) } };
}

function extraBytes(extra: Readonly<Record<string, Parameters<typeof heldBytes>[0] | undefined>> = {}): number {
  let bytes = 0;
  for (const value of Object.values(extra)) if (value !== undefined) bytes += heldBytes(value);
  return bytes;
}
