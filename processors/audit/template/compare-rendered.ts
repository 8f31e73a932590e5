import type { AuditAnswer, Found } from '../../model/audit-summary.ts';
import { addFinding, answerOfList, createFindingList } from '../../model/finding-list.ts';
import type { Tokenizer } from '../../model/tokenizer.ts';
import { bodyClass, boundaryClass, roleOf } from './difference-class.ts';
import { type Marked, splitAtMarks } from './split-at-marks.ts';
import type { TemplateRules } from './template-rules.ts';
import { textOf } from './text-of.ts';

export interface RenderedComparison {
  /** Prompt of a call, as it was sent. */
  readonly recordedIds: Uint32Array;
  /** The same messages, as the template renders them. */
  readonly renderedIds: Uint32Array;
  /** Model call whose prompt it is. */
  readonly turn: number;
  readonly rules: TemplateRules;
  readonly tokenizer: Tokenizer;
}

const IDS_BEFORE = 16;
const IDS_AFTER = 48;
const MOST_CHARACTERS = 400;

/**
 * Control tokens and roles strictly, and the first that differs ends the comparison: what follows it is another conversation. Texts
 * leniently: a difference is a warning, and another split of the same text is none of the template's.
 */
export function compareRendered(comparison: RenderedComparison): AuditAnswer {
  const { recordedIds, renderedIds, rules, tokenizer } = comparison;
  const recorded = splitAtMarks(recordedIds, rules);
  const rendered = splitAtMarks(renderedIds, rules);
  const list = createFindingList();
  const most = Math.max(recorded.length, rendered.length);
  for (let at = 0; at < most; at++) {
    const [was, should] = [recorded[at], rendered[at]];
    const written = was === undefined ? '' : textOf(tokenizer, recordedIds, was.from, was.to);
    const expected = should === undefined ? '' : textOf(tokenizer, renderedIds, should.from, should.to);
    const isSame = was !== undefined && should !== undefined && was.mark === should.mark;
    if (isSame && written === expected) continue;
    // A token that is missing leaves its text to the one before it: the token is what differs.
    const ahead = isSame && recorded[at + 1]?.mark !== rendered[at + 1]?.mark ? 1 : 0;
    if (!isSame || ahead === 1) {
      const name = boundaryClass({ ...comparison, recorded, rendered, at: at + ahead });
      const places = [startOf(recorded[at + ahead], recordedIds), startOf(rendered[at + ahead], renderedIds)] as const;
      addFinding(list, differenceAt(comparison, name, 'fail', ...places));
      break;
    }
    const places = firstDifference(recordedIds, was, renderedIds, should);
    const isStrict = isBoundary(was, at === most - 1, written, expected, rules);
    const name = isStrict ? boundaryClass({ ...comparison, recorded, rendered, at }) : bodyClass(written, expected);
    addFinding(list, differenceAt(comparison, name, isStrict ? 'fail' : 'warn', ...places));
    if (isStrict) break;
  }
  return answerOfList(list, null);
}

/** The template's own texts: the separator, the role, and all that the generation prompt is. */
function isBoundary(
  { mark }: Marked,
  isLast: boolean,
  written: string,
  expected: string,
  rules: TemplateRules,
): boolean {
  if (mark === rules.endOfTurnId || isLast) return true;
  return mark === rules.turnOpenId && roleOf(written, rules) !== roleOf(expected, rules);
}

/** Place of the mark; the end where there is none. */
function startOf(part: Marked | undefined, ids: Uint32Array): number {
  if (part === undefined) return ids.length;
  return part.mark === null ? part.from : part.from - 1;
}

function firstDifference(a: Uint32Array, was: Marked, b: Uint32Array, should: Marked): readonly [number, number] {
  let i = 0;
  while (was.from + i < was.to && should.from + i < should.to && a[was.from + i] === b[should.from + i]) i += 1;
  return [was.from + i, should.from + i];
}

function differenceAt(
  { recordedIds, renderedIds, tokenizer, turn }: RenderedComparison,
  name: string,
  severity: Found['severity'],
  index: number,
  expectedIndex: number,
): Found {
  const windowAt = (ids: Uint32Array, at: number) => {
    const [from, to] = [Math.max(0, at - IDS_BEFORE), at + IDS_AFTER];
    return { ids: [...ids.subarray(from, to)], text: textOf(tokenizer, ids, from, to).slice(0, MOST_CHARACTERS) };
  };
  const [was, should] = [windowAt(recordedIds, index), windowAt(renderedIds, expectedIndex)];
  return {
    ...{ class: name, severity, turn, index },
    detail: `the prompt is not what the template renders from its messages, from token ${index} on (rendered: ${expectedIndex})`,
    evidence: { ids: was.ids, expectedIds: should.ids, text: was.text, expectedText: should.text },
  };
}
