import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { SamplingInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { countOrNull, numberOrNull } from '../fields.ts';
import { jsonText, unlessEmpty } from '../json-text.ts';

/** The start, and the input as messages: a text is the user's, items keep their roles. */
export function addNemoStart(
  out: AttemptEvents,
  params: JsonObject,
  answer: JsonObject,
  verifierMetadata: JsonValue | undefined,
  odd: JsonObject | undefined,
): void {
  const { input, tools, temperature, top_p, max_output_tokens, ...rest } = params;
  const drawn: SamplingInit = {
    temperature: numberOrNull(temperature) ?? numberOrNull(answer.temperature),
    top_p: numberOrNull(top_p) ?? numberOrNull(answer.top_p),
    max_tokens: countOrNull(max_output_tokens) ?? countOrNull(answer.max_output_tokens),
  };
  out.add(
    'start',
    {
      start: {
        prompt: typeof input === 'string' ? bytesOfText(input) : null,
        task_metadata_json: verifierMetadata === undefined ? null : jsonText(verifierMetadata),
        tools_json: Array.isArray(tools) ? jsonText(tools) : null,
        sampling: drawn,
      },
    },
    { ...odd, responses_create_params: unlessEmpty({ ...rest, tools: Array.isArray(tools) ? undefined : tools }) },
  );
  addInput(out, input);
}

function addInput(out: AttemptEvents, input: JsonValue | undefined): void {
  if (typeof input === 'string') {
    out.add('message', { message: { role: 'user', parts_json: jsonText(input) } });
  } else if (Array.isArray(input)) {
    for (const item of input) {
      const { role, content, ...rest } = isObject(item) ? item : { content: item };
      const name = typeof role === 'string' ? role : 'unknown';
      out.add('message', { message: { role: name, parts_json: jsonText(content ?? null) } }, rest);
    }
  } else if (input !== undefined && input !== null) {
    out.add('message', { message: { role: 'unknown', parts_json: jsonText(input) } });
  }
}
