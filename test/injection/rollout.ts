import type {
  EndInit,
  StartInit,
  StepEventInit,
  ToolCallInit,
  ToolResultInit,
  VerdictInit,
  WeightSpanInit,
} from '../../schemas/generated/step-event.ts';
import { float32, uint32 } from '../processors/events.ts';
import type { Message, Model } from './models.ts';

/** A span of the producer's clock, µs. */
export interface Span {
  begin: number;
  end: number;
}

export interface WrittenCall {
  /** What stands between its tags; null: the text does not have it. */
  written: string | null;
  /** Its closing tag is missing. */
  isUnclosed?: boolean;
  /** The loop's word for it; null: its list does not have it. */
  listed: ToolCallInit | null;
  results: Array<{ result: ToolResultInit; span: Span }>;
}

export interface RolloutTurn {
  /** New messages before the call; those of the first turn begin the conversation. */
  messages: Message[];
  /** Ids that the prompt adds to what is held. */
  added: number[];
  /** What the loop makes of what is held; null: nothing, as it should. */
  rewrite: ((held: readonly number[]) => number[]) | null;
  /** null: it writes none. */
  thought: string | null;
  content: string;
  calls: WrittenCall[];
  sampled: number[];
  /** Text that the engine gave; null: that of the ids. */
  rawText: string | null;
  /** Where in `sampled` text would not give the ids again; null: nowhere. */
  drift: { index: number; class: string } | null;
  logprobs: number[];
  spans: WeightSpanInit[];
  finish: string | null;
  span: Span;
}

/** What a loop did, before it is written as events. Faults change it as a faulty loop would. */
export interface Rollout {
  readonly model: Model;
  readonly id: string;
  start: StartInit;
  span: Span;
  setup: Span;
  verify: Span;
  turns: RolloutTurn[];
  end: EndInit;
  verdict: VerdictInit;
  /** The source keeps no text of what was sampled: its ids alone say what was called. */
  isTextless: boolean;
  /** Changes of single events, last of all. */
  edits: Array<(events: StepEventInit[]) => void>;
}

/** Where the tokens of a turn are, as indices of its segment. */
export interface Place {
  readonly held: readonly number[];
  readonly prompt: readonly number[];
  /** Longest common prefix of both. */
  readonly prefix: number;
  readonly sampledStart: number;
  readonly end: number;
}

export function placesOf(turns: readonly RolloutTurn[]): Place[] {
  let held: readonly number[] = [];
  return turns.map(({ rewrite, added, sampled }) => {
    const kept = rewrite === null ? held : rewrite(held);
    const prompt = [...kept, ...added];
    let prefix = 0;
    while (prefix < held.length && held[prefix] === prompt[prefix]) prefix += 1;
    const place = { held, prompt, prefix, sampledStart: prompt.length, end: prompt.length + sampled.length };
    held = [...prompt, ...sampled];
    return place;
  });
}

export function placeOf(rollout: Rollout, turn: number): Place {
  return known(placesOf(rollout.turns)[turn]);
}

/** Opens a call, with the line end that follows it. */
export const CALL = '<tool_call>\n';

/** The completion as text, without its stop token, and where its calls begin. */
export function completionOf({ thought, content, calls }: RolloutTurn): { text: string; callStarts: number[] } {
  let text = thought === null ? '' : `<think>\n${thought}\n</think>\n\n`;
  text += content;
  const callStarts = calls.map(({ written, isUnclosed }) => {
    if (written === null) return -1;
    if (text !== '' && !text.endsWith('\n\n')) text += '\n';
    const at = text.length;
    text += `${CALL}${written}${isUnclosed ? '' : '\n</tool_call>'}`;
    return at;
  });
  return { text, callStarts };
}

/** As the policy would have sampled what the turn says now. Logprobs keep their values where there are any. */
export function resample({ model }: Rollout, turn: RolloutTurn, isEnded = true): void {
  setSampled(turn, [...model.encode(completionOf(turn).text), ...(isEnded ? [model.endId] : [])], null);
}

export function setSampled(turn: RolloutTurn, ids: readonly number[], drift: RolloutTurn['drift']): void {
  turn.sampled = [...ids];
  turn.drift = drift;
  turn.logprobs = ids.map((_, i) => turn.logprobs[i] ?? -0.25 - ((i * 37) % 101) / 64);
  turn.spans = turn.spans.filter(({ start }) => start < ids.length);
}

/** As the loop would have encoded the messages that the turn has now. */
export function reprompt({ model, start }: Rollout, turn: RolloutTurn, isFirst: boolean): void {
  turn.added = model.encode(promptText(model, turn.messages, isFirst, isThinkingOff(start)));
}

export function isThinkingOff(start: StartInit): boolean {
  return (start.template_vars_json ?? '').includes('"enable_thinking":false');
}

export function promptText(model: Model, messages: readonly Message[], isFirst: boolean, isPrefilled: boolean): string {
  const before = isFirst ? model.bosText : model.separatorText;
  const prefill = isPrefilled ? '<think>\n\n</think>\n\n' : '';
  return `${before}${model.turnsText(messages)}${model.generationText}${prefill}`;
}

/** As its producer writes it. */
export function eventsOf(rollout: Rollout): StepEventInit[] {
  const { model, id, span, turns } = rollout;
  const base = {
    ...{ run_id: 'injection', env_name: 'env', task_id: `task of ${id}`, rollout_id: id, producer_id: 'loop' },
    source: { format: 'injection' },
  };
  const events: StepEventInit[] = [];
  let seq = 0;
  const push = (event: Omit<StepEventInit, keyof typeof base | 'event_id'>, isSequenced = true) => {
    events.push({ ...base, event_id: `${id}/${events.length}`, ...(isSequenced ? { seq: seq++ } : {}), ...event });
  };
  push({ kind: 'start', start: rollout.start, started_at: span.begin });
  push({ kind: 'phase', phase: { phase: 'sandbox_setup' }, ...times(rollout.setup) });
  const places = placesOf(turns);
  for (const [i, turn] of turns.entries()) {
    const { prompt, prefix } = known(places[i]);
    for (const { role, content } of turn.messages)
      if (role !== 'tool')
        push({ kind: 'message', message: { role, parts_json: JSON.stringify([{ type: 'text', text: content }]) } });
    const closing = turn.sampled.at(-1) === model.endId ? 1 : 0;
    const spoken = turn.sampled.slice(0, turn.sampled.length - closing);
    const said = turn.rawText ?? new TextDecoder('utf-8', { ignoreBOM: true }).decode(model.decode(spoken));
    push({
      kind: 'model_call',
      ...times(turn.span),
      model_call: {
        call_id: `call ${i}`,
        prompt_prefix_len: prefix,
        prompt_delta_ids: uint32(prompt.slice(prefix)),
        completion_ids: uint32(turn.sampled),
        completion_logprobs: float32(turn.logprobs),
        logprobs_mode: 'raw',
        weight_spans: turn.spans,
        raw_text: rollout.isTextless ? null : Buffer.from(said),
        finish_reason: turn.finish,
        usage: { prompt_tokens: prompt.length, completion_tokens: turn.sampled.length, cached_tokens: prefix },
        server_e2e_us: turn.span.end - turn.span.begin,
        tool_calls: turn.calls.flatMap(({ listed }) =>
          listed === null ? [] : [rollout.isTextless ? { ...listed, arguments_raw: null } : listed],
        ),
      },
    });
    for (const { results } of turn.calls)
      for (const { result, span: own } of results)
        push({ kind: 'tool_result', ...times(own), tool_result: { turn: i, ...result } });
  }
  push({ kind: 'end', ended_at: span.end, end: rollout.end });
  push({ kind: 'phase', phase: { phase: 'verify' }, ...times(rollout.verify) }, false);
  push({ kind: 'verdict', verdict: rollout.verdict }, false);
  for (const edit of rollout.edits) edit(events);
  return events;
}

function times({ begin, end }: Span) {
  return { started_at: begin, ended_at: end, duration_us: end >= begin ? end - begin : null };
}

export function known<T>(value: T | undefined | null): T {
  if (value === undefined || value === null) throw new Error('it is not there');
  return value;
}
