import type { TurnSpan } from './read-turns.ts';
import type { SegmentView } from './segment-view.ts';
import { isResult } from './tool-result.ts';

/** JSON whose quotes were made safe for HTML. Only at the brace that opens it: a page that a tool read may hold them anywhere. */
const ESCAPED_OPENINGS = ['{&#34;', '{&quot;'];
const ARGUMENTS = '"arguments"';

/** What a template writes from values, in the prompts: JSON that is none, or is twice. */
export function checkTexts(view: SegmentView): void {
  for (const turn of view.turns) {
    if (turn.sampledAt !== null || view.ranges[turn.range]?.copied !== false || turn.end <= view.ownFrom) continue;
    if (turn.role === 'assistant') {
      const text = view.text(turn.bodyStart, turn.end);
      checkEscapes(view, turn, text);
      checkArguments(view, turn, text);
    } else if (turn.role === 'system') checkEscapes(view, turn, view.text(turn.bodyStart, turn.end));
    else if (isResult(view, turn)) checkResults(view, turn);
  }
}

function checkEscapes(view: SegmentView, turn: TurnSpan, text: string): void {
  const opening = ESCAPED_OPENINGS.find((one) => text.includes(one));
  if (opening !== undefined) reportEscape(view, turn, opening);
}

/** The result itself is escaped JSON. */
function checkResults(view: SegmentView, turn: TurnSpan): void {
  const open = view.rules.toolResult?.openText ?? '';
  const text = view.text(turn.bodyStart, turn.end);
  let at = open === '' ? 0 : text.indexOf(open);
  while (at !== -1) {
    // The brace may stand in a list.
    const head = text.slice(at + open.length, at + open.length + 64).trimStart();
    const found = ESCAPED_OPENINGS.find((one) => head.startsWith(one) || head.startsWith(`[${one}`));
    if (found !== undefined) {
      reportEscape(view, turn, found);
      return;
    }
    at = open === '' ? -1 : text.indexOf(open, at + open.length);
  }
}

function reportEscape(view: SegmentView, turn: TurnSpan, opening: string): void {
  view.report({
    ...{ class: 'html_escape', severity: 'warn', index: tokenOf(view, turn, opening) },
    detail: `the JSON of a ${turn.roleText} turn was escaped as if it were HTML: ${opening}`,
    expectedText: '{"',
  });
}

/** `"arguments": "{\"a\": 1}"`: a text that holds the object, where the object belongs. */
function checkArguments(view: SegmentView, turn: TurnSpan, text: string): void {
  for (let at = text.indexOf(ARGUMENTS); at !== -1; at = text.indexOf(ARGUMENTS, at + ARGUMENTS.length)) {
    const value = text.slice(at + ARGUMENTS.length, at + ARGUMENTS.length + 64);
    const written = /^\s{0,16}:\s{0,16}"\s{0,16}\{\s{0,16}(?:\\"|\})/.exec(value)?.[0];
    if (written === undefined) continue;
    view.report({
      ...{ class: 'double_encoded_arguments', severity: 'warn', index: tokenOf(view, turn, ARGUMENTS + written) },
      detail: 'the arguments of a call in the history are a text that holds JSON, not the JSON itself',
      expectedText: '"arguments": {',
    });
    return;
  }
}

/** Token that a text begins in, which is within the turn. */
function tokenOf(view: SegmentView, turn: TurnSpan, text: string): number {
  let low = turn.bodyStart + 1;
  let high = turn.end;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (view.text(turn.bodyStart, middle).includes(text)) high = middle;
    else low = middle + 1;
  }
  const to = high;
  low = turn.bodyStart;
  high = to - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (view.text(middle, to).includes(text)) low = middle;
    else high = middle - 1;
  }
  return low;
}
