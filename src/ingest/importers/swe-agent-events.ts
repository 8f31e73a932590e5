import { bytesOfText } from '../../../processors/model/text-bytes.ts';
import type { ToolCallInit } from '../../../schemas/generated/step-event.ts';
import type { AttemptEvents } from '../attempt-events.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import { numberOrNull, objectAt, textOrNull } from '../fields.ts';
import { joined, jsonText, leftover } from '../json-text.ts';
import { type Chat, chatText, createChat } from './chat-messages.ts';
import { chatToolCalls } from './chat-tool-calls.ts';
import { keptAway } from './kept-numbers.ts';
import { addSweEnd, sweReasons } from './swe-agent-end.ts';
import { type HistoryEntry, type HistoryTurn, sweHistory } from './swe-agent-history.ts';
import { type SweRun, sweSettings, sweTask } from './swe-agent-record.ts';

/** All events of one run: start, input, a call and its result for each step of the trajectory, end, verdict. */
export function addSweEvents(out: AttemptEvents, run: SweRun, location: string, odd: JsonObject | undefined): void {
  addStart(out, run, odd);
  const chat = createChat(out);
  const history = sweHistory(run.history, `${run.path}history`);
  addInput(chat, history.input);
  const { parser } = sweSettings(run.config);
  let turn = 0;
  for (const [i, entry] of run.trajectory.entries()) {
    const path = `${run.path}trajectory[${i}]`;
    const step = objectAt(entry, path);
    const said = history.next(step);
    if (isLoopsOwn(run, step, i)) addLoopsOwn(out, chat, { step, said, path, location });
    else addStep(out, chat, { step, said, path, location, parser, turn: turn++ });
  }
  addInput(chat, history.rest());
  addSweEnd(out, run, {});
}

function addStart(out: AttemptEvents, run: SweRun, odd: JsonObject | undefined): void {
  const { text } = sweTask(run);
  const { model } = sweSettings(run.config);
  const { replay_config, environment } = run.value;
  out.add(
    'start',
    {
      start: {
        prompt: text === null ? null : bytesOfText(text),
        sampling: { temperature: numberOrNull(model.temperature), top_p: numberOrNull(model.top_p) },
      },
    },
    { ...odd, replay_config: replay_config ?? undefined, environment: environment ?? undefined },
  );
}

function addInput(chat: Chat, entries: readonly HistoryEntry[]): void {
  for (const { value, path } of entries) chat.add(value, path, true);
}

/**
 * Where the loop gave up it writes a last step that no model wrote, with why in the place of the answer. Its status says `exit_…`;
 * but for exit_command, which is an action.
 */
function isLoopsOwn({ info, trajectory, path }: SweRun, step: JsonObject, index: number): boolean {
  if (index !== trajectory.length - 1 || step.response !== step.thought || step.action !== '') return false;
  return sweReasons(info.exit_status, `${path}info.exit_status`).some(({ raw }) => raw.startsWith('exit_'));
}

interface Step {
  readonly step: JsonObject;
  readonly said: HistoryTurn | null;
  readonly path: string;
  readonly location: string;
}

function addLoopsOwn(out: AttemptEvents, chat: Chat, { step, said, path, location }: Step): void {
  const { response, thought: _same, query, ...rest } = step;
  out.add(
    'message',
    { message: { role: 'exit', parts_json: jsonText(response ?? null) } },
    { ...rest, query: keptAway(query, location, `${path}.query`), history: said ? unlessSaid(said, step) : undefined },
  );
  addInput(chat, said?.shown ?? []);
}

const STEP_KEYS = ['response', 'thought', 'action', 'observation', 'execution_time', 'query'];

function addStep(
  out: AttemptEvents,
  chat: Chat,
  { step, said, path, location, parser, turn }: Step & { readonly parser: string | null; readonly turn: number },
): void {
  const { thought, query } = step;
  const response = textOrNull(step.response, `${path}.response`);
  const action = textOrNull(step.action, `${path}.action`);
  const asked = chatToolCalls(said?.said.value.tool_calls);
  // With function calling the server has taken the calls out of the text: what is left is not what the model wrote.
  const isRaw = asked.calls.length === 0 && parser !== 'function_calling';
  const calls =
    asked.calls.length > 0 || action === null || action === '' ? asked.calls : [written(action, parser, turn)];
  const ran = hasRun(step, calls.length > 0, said);
  out.add(
    'model_call',
    {
      model_call: {
        call_id: `call-${turn}`,
        raw_text: response === null || !isRaw ? null : bytesOfText(response),
        tool_calls: calls,
      },
    },
    joined(leftover(step, STEP_KEYS), {
      response: isRaw ? undefined : (response ?? undefined),
      // Parsed off the answer, of which it is most often all.
      thought: thought === response ? undefined : (thought ?? undefined),
      query: keptAway(query, location, `${path}.query`),
      history: said ? unlessSaid(said, step) : undefined,
      tool_calls: asked.kept,
      ...(ran ? {} : { action, observation: step.observation, execution_time: step.execution_time }),
    }),
  );
  if (!ran) return;
  addResult(out, chat, { step, said, path, location, turn, call: calls[0], action });
}

/** Of an answer that is asked for again nothing was run: neither did it take time, nor did anything come of it. */
function hasRun(step: JsonObject, isCall: boolean, said: HistoryTurn | null): boolean {
  const { observation, execution_time: seconds } = step;
  if (said !== null && said.shown.length > 0) return true;
  if (observation !== undefined && observation !== null && observation !== '') return true;
  return isCall && seconds !== 0;
}

/** The command that the loop read off the text. */
function written(action: string, parser: string | null, turn: number): ToolCallInit {
  return { call_id: `action-${turn}`, arguments_parsed: jsonText(action), parser };
}

function addResult(
  out: AttemptEvents,
  chat: Chat,
  {
    step,
    said,
    path,
    turn,
    call,
    action,
  }: Step & { readonly turn: number; readonly call: ToolCallInit | undefined; readonly action: string | null },
): void {
  const observation = textOrNull(step.observation, `${path}.observation`);
  const [shown, ...more] = said?.shown ?? [];
  const seconds = step.execution_time;
  const isTime = typeof seconds === 'number' && seconds >= 0 && seconds < 1e9;
  // The model saw the observation within a template, where the history still has it.
  const text =
    shown === undefined ? observation : (chatText(shown.value.content) ?? jsonText(shown.value.content ?? null));
  out.add(
    'tool_result',
    {
      tool_result: {
        call_id: call?.call_id ?? '',
        turn,
        name: call?.name ?? null,
        output: text === null ? null : bytesOfText(text),
        exec_us: isTime ? Math.round(seconds * 1e6) : null,
      },
    },
    {
      action: action ?? undefined,
      observation: observation === text ? undefined : (observation ?? undefined),
      execution_time: isTime ? undefined : seconds,
      history: shown && leftover(shown.value, chatText(shown.value.content) === null ? [] : ['content']),
    },
  );
  addInput(chat, more);
}

/** What the history says of an answer that the step does not. */
function unlessSaid({ said: { value } }: HistoryTurn, step: JsonObject): JsonValue | undefined {
  const same: Record<string, JsonValue | undefined> = { action: step.action, thought: step.thought };
  const known = ['role', 'tool_calls'];
  if (value.content === step.response) known.push('content');
  for (const key of ['action', 'thought']) if (value[key] === same[key]) known.push(key);
  return leftover(value, known);
}
