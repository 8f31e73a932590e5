import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import { parseExact } from '../exact-json.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { Refused, shown } from '../fields.ts';
import { jsonText, unlessEmpty } from '../json-text.ts';
import { addChatMessages } from './chat-messages.ts';
import { restOfRow, verifiersError, verifiersReasons } from './verifiers-end.ts';
import { answersByOrder } from './verifiers-pairs.ts';
import { verifiersSampling } from './verifiers-sampling.ts';
import { type VerifiersTimes, verifiersTimes } from './verifiers-times.ts';
import { verifiersVerdict } from './verifiers-verdict.ts';

/** What events say themselves; all other keys of a row are kept. */
const ROW_KEYS = [
  ...['id', 'example_id', 'prompt', 'completion', 'answer', 'info', 'task', 'tool_defs', 'oai_tools'],
  ...['reward', 'metrics', 'error', 'stop_condition'],
];

/** All events of one row: start, set-up, prompt, completion, end, scoring, verdict. `metadata`: of the file, beside it. */
export function addVerifiersEvents(
  out: AttemptEvents,
  row: JsonObject,
  metadata: JsonObject,
  odd: JsonObject | undefined,
): void {
  const times = verifiersTimes(row);
  addStart(out, row, metadata, times, odd);
  if (times.setup !== null)
    out.add('phase', { phase: { phase: 'sandbox_setup', detail: 'setup' } }, undefined, times.setup);
  addPrompt(out, row.prompt);
  const finalText = addCompletion(out, row.completion, metadata, times);
  addEnd(out, row, times, finalText);
}

/** Facts of the run; what it averages over its rows is no row's own. */
const METADATA_KEYS = ['env_id', 'env', 'env_args', 'base_url', 'version_info', 'num_examples', 'rollouts_per_example'];

function addStart(
  out: AttemptEvents,
  row: JsonObject,
  metadata: JsonObject,
  times: VerifiersTimes,
  odd: JsonObject | undefined,
): void {
  const { answer, info, task, prompt } = row;
  const definitions = row.tool_defs ?? row.oai_tools;
  const tools = toolsOf(definitions, info);
  const task_metadata = unlessEmpty({ answer, info, task });
  const facts = METADATA_KEYS.map((key) => [key, metadata[key]] as const);
  out.add(
    'start',
    {
      start: {
        prompt: typeof prompt === 'string' ? bytesOfText(prompt) : null,
        task_metadata_json: task_metadata === undefined ? null : jsonText(task_metadata),
        tools_json: tools === null ? null : jsonText([...tools]),
        sampling: verifiersSampling(metadata.sampling_args),
      },
    },
    {
      ...odd,
      tool_defs: tools === definitions ? undefined : definitions,
      oai_tools: (row.tool_defs ?? null) === null ? undefined : row.oai_tools,
      metadata: unlessEmpty(Object.fromEntries(facts)),
    },
    { startedAtUs: times.startedAtUs },
  );
}

/** Tool definitions, under the names they had; those of old rows are in `info`. Each may be JSON in a string. */
function toolsOf(definitions: JsonValue | undefined, info: JsonValue | undefined): readonly JsonValue[] | null {
  const unpackedInfo = unpacked(info);
  const found = definitions ?? (isObject(unpackedInfo) ? unpackedInfo.oai_tools : undefined);
  const tools = unpacked(found);
  return Array.isArray(tools) ? tools : null;
}

function unpacked(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value !== 'string') return value;
  const parsed = parseExact(value);
  return parsed.kind === 'json' ? parsed.value : value;
}

function addPrompt(out: AttemptEvents, prompt: JsonValue | undefined): void {
  if (prompt === undefined || prompt === null) return;
  if (typeof prompt === 'string') out.add('message', { message: { role: 'text', parts_json: jsonText(prompt) } });
  else if (Array.isArray(prompt)) addChatMessages(out, prompt, 'prompt', { completionFrom: prompt.length });
  else throw new Refused('prompt', 'messages, text or null', shown(prompt));
}

/** The final answer, if the model spoke last. A text is what a model that completes texts wrote: nothing parsed it. */
function addCompletion(
  out: AttemptEvents,
  completion: JsonValue | undefined,
  metadata: JsonObject,
  times: VerifiersTimes,
): string | null {
  const model = typeof metadata.model === 'string' ? metadata.model : null;
  if (completion === undefined || completion === null) return null;
  if (typeof completion === 'string') {
    const call = { call_id: 'call-0', model, raw_text: bytesOfText(completion) };
    out.add('model_call', { model_call: call }, undefined, times.calls[0] ?? undefined);
    return completion;
  }
  if (!Array.isArray(completion)) throw new Refused('completion', 'messages, text or null', shown(completion));
  const said = completion.filter((message) => isObject(message) && message.role === 'assistant').length;
  // Spans are not named: only as many as there are calls can be theirs.
  const places = times.calls.length === said ? times.calls : [];
  const answers = answersByOrder(completion);
  const chat = addChatMessages(out, completion, 'completion', {
    known(message, turn) {
      if (message.role === 'assistant') return { call: { model }, place: places[turn] ?? undefined };
      const result = answers.get(message);
      return result && { result, extra: { paired_by: 'order' } };
    },
  });
  return chat.finalText;
}

function addEnd(out: AttemptEvents, row: JsonObject, times: VerifiersTimes, finalText: string | null): void {
  const error = verifiersError(row.error);
  const { measured, rest } = restOfRow(row, ROW_KEYS);
  const { error_chain, long_error_chain, ...others } = rest;
  const chain = error?.rest ?? {};
  out.add(
    'end',
    {
      end: {
        reasons: verifiersReasons(row, error),
        final_response: finalText === null ? null : bytesOfText(finalText),
        exception: error?.failure ?? null,
      },
    },
    {
      ...others,
      id: row.example_id === undefined || row.example_id === null ? undefined : row.id,
      stop_condition: row.stop_condition === 'has_error' ? row.stop_condition : undefined,
      error: error?.rest,
      error_chain: error_chain === chain.error_chain_repr ? undefined : error_chain,
      long_error_chain: long_error_chain === chain.error_chain_str ? undefined : long_error_chain,
    },
    { endedAtUs: times.endedAtUs },
  );
  // Before the verdict: with that the attempt may be decided.
  if (times.scoring !== null) out.addAfterEnd('phase', { phase: { phase: 'verify' } }, undefined, times.scoring);
  const report = unlessEmpty({ metrics: row.metrics ?? undefined, ...measured });
  out.addAfterEnd('verdict', { verdict: verifiersVerdict(row, report) });
}
