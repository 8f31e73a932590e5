import type { ModelCall, StepEvent, ToolResult } from '../../../schemas/generated/step-event.ts';
import type { Attempt } from '../../model/attempt.ts';
import { watchOf } from '../../model/attempt-watch.ts';
import { textOfBytes } from '../../model/text-bytes.ts';
import { createToolsWatch, type ToolsWatch } from '../../model/tools-watch.ts';
import { isCut } from './is-cut.ts';
import { noteErrorText } from './note-error-text.ts';
import { noteExecutedCall, noteExecutedTurn } from './note-executed.ts';
import { offeredNames } from './offered-names.ts';
import { dialectOfParser, dialectOfText } from './parse/dialect-of.ts';
import { DIALECTS } from './parse/parse-calls.ts';
import type { Dialect } from './parse/strict-call.ts';
import { listsCallsOf, replyParserOf } from './told-of-calls.ts';
import { beginTurn, type ListedCall, type WrittenTurn } from './turn/begin-turn.ts';
import { endTurn } from './turn/end-turn.ts';
import { judgeMessage } from './turn/judge-message.ts';
import { judgeResult, type ResultFacts } from './turn/judge-result.ts';
import { lackOf } from './turn/lack-of.ts';

const MOST_PARTLY = 64;

/** Notes what the tools audit needs of an accepted event, after it was folded. */
export function watchTools(attempt: Attempt, event: StepEvent): void {
  if (event.model_call !== null) watchCall(attempt, event.model_call, event.segment_id);
  else if (event.tool_result !== null) watchResult(attempt, event.tool_result);
  else if (event.message !== null) {
    const watch = toolsOf(attempt);
    watch.tellsMessages = true;
    if (watch.turn !== null) judgeMessage(watch.turn, event.message.parts_json, watch);
  } else if (event.start !== null) {
    const offered = offeredNames(event.start.tools_json);
    if (offered !== null) toolsOf(attempt).offered = offered;
    if (!listsCallsOf(event.extra_json)) toolsOf(attempt).listsCalls = false;
    const parser = replyParserOf(event.extra_json);
    const dialect = parser === null ? null : dialectOfParser(parser);
    // Sub-agents may write otherwise: it is the parser of the segment that it is named in.
    if (dialect !== null) toolsOf(attempt).replies = { segmentId: event.segment_id, dialect: dialect.name };
  }
}

function toolsOf(attempt: Attempt): ToolsWatch {
  const watch = watchOf(attempt);
  watch.tools ??= createToolsWatch();
  return watch.tools;
}

/** A source that has neither results nor messages keeps what the model was shown to itself: that nothing was cannot be proved. */
function tellsWhatIsShown({ tellsMessages, results }: ToolsWatch): boolean {
  return tellsMessages || results > 0;
}

function watchCall(attempt: Attempt, call: ModelCall, segmentId: string): void {
  const turn = attempt.calls - 1;
  const watch = toolsOf(attempt);
  // Another agent's call is not what this one was shown next.
  if (watch.turn !== null) leaveTurn(watch, watch.segmentId !== segmentId || !tellsWhatIsShown(watch));
  watch.segmentId = segmentId;
  const listed = call.tool_calls.map(listedCall);
  const text = call.raw_text === null ? null : textOfBytes(call.raw_text);
  const written = writtenOf(watch, call, text, segmentId);
  const wasCut = attempt.facts?.lastCallFull === true || call.error !== null ? true : isCut(call.finish_reason);
  const { offered, listsCalls } = watch;
  const facts = { turn, written, listed, listsCalls, offered, isCut: wasCut, opensInThought: null };
  // A text without any call is all that there is to know.
  const isPlain = text !== null && written === null && listed.length === 0;
  const isEmpty = call.completion_ids === null ? call.error !== null : call.completion_ids.length === 0;
  const notes = beginTurn(facts, watch);
  watch.turn = notes;
  if (written !== null || isPlain || (isEmpty && listed.length === 0)) return;
  if (listed.length === 0) addLack(watch, 'no raw text of model calls', turn);
  const isTold = listsCalls || listed.length > 0;
  if (isTold && call.completion_ids !== null && call.completion_ids.length > 0) noteExecutedTurn(watch, turn, listed);
}

function listedCall({
  call_id,
  name,
  arguments_raw,
  arguments_parsed,
  parse_status,
}: ModelCall['tool_calls'][number]): ListedCall {
  const raw = arguments_raw === null ? null : textOfBytes(arguments_raw);
  return { callId: call_id, name, raw, parsed: arguments_parsed, status: parse_status };
}

/**
 * The text, if it has the calls in it: in the dialect of the parser that the start names, or a call does, else by what it says,
 * else as the calls before it.
 */
function writtenOf(
  watch: ToolsWatch,
  { tool_calls }: ModelCall,
  text: string | null,
  segmentId: string,
): WrittenTurn | null {
  if (text === null) return null;
  const { replies } = watch;
  const ofReplies =
    replies?.segmentId === segmentId ? DIALECTS.find(({ name }) => name === replies.dialect) : undefined;
  if (ofReplies !== undefined) return { text, dialect: ofReplies };
  const dialect =
    namedDialect(tool_calls) ?? dialectOfText(text) ?? DIALECTS.find(({ name }) => name === watch.dialect);
  if (dialect === undefined) return null;
  watch.dialect = dialect.name;
  return { text, dialect };
}

function namedDialect(calls: ModelCall['tool_calls']): Dialect | null {
  for (const { parser } of calls) {
    const dialect = parser === null ? null : dialectOfParser(parser);
    if (dialect !== null) return dialect;
  }
  return null;
}

function watchResult(attempt: Attempt, result: ToolResult): void {
  const watch = attempt.watch?.tools ?? null;
  // Results of a conversation from before the attempt answer nothing in it.
  if (watch === null || attempt.calls === 0) return;
  const turn = result.turn ?? attempt.calls - 1;
  const facts: ResultFacts = {
    callId: result.call_id,
    name: result.name,
    executed: result.executed_arguments,
    status: result.status,
    output: result.output === null ? null : textOfBytes(result.output),
  };
  noteErrorText(watch, turn, facts);
  noteExecutedCall(watch, turn, result);
  // What comes later than the next model call is not shown in between; its call was judged without it.
  if (watch.turn?.turn === turn) judgeResult(watch.turn, facts, watch);
}

function leaveTurn(watch: ToolsWatch, isLast: boolean): void {
  const notes = watch.turn;
  if (notes === null) return;
  watch.turn = null;
  endTurn(notes, { isLast, isCut: false }, watch);
  const lack = lackOf(notes);
  if (lack !== null) addLack(watch, lack, notes.turn);
  let own = 0;
  let answered = 0;
  for (const { fault, isDraft, callId, results } of notes.calls) {
    if (fault !== null || isDraft || callId === null) continue;
    own += 1;
    if (results > 0) answered += 1;
  }
  if (answered > 0 && answered < own && watch.partly.length < MOST_PARTLY) watch.partly.push(notes.turn);
}

function addLack(watch: ToolsWatch, lacks: string, turn: number): void {
  if (watch.unproved === null) watch.unproved = { lacks, turn, turns: 1 };
  else watch.unproved.turns += 1;
}
