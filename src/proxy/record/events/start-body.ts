import type { SamplingInit } from '../../../../schemas/generated/step-event.ts';
import { jsonText } from '../../../ingest/json-text.ts';
import { firstUserText } from '../call/conversation.ts';
import type { Exchange } from '../call/exchange.ts';

/** JSON text of the start of an attempt, as its first call tells it. */
export function startBody({ request, conversation, answer }: Exchange): string {
  const { sampling, weight_spans } = answer.engine.call;
  const tools = request?.tools;
  return JSON.stringify({
    prompt: firstUserText(conversation),
    tools_json: Array.isArray(tools) ? jsonText(tools) : null,
    sampling: sampling ?? (null satisfies SamplingInit | null),
    weights_version: weight_spans?.[0]?.version ?? null,
  });
}
