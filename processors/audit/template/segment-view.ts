import type { Found } from '../../model/audit-summary.ts';
import type { DeepInput, DeepRange, DeepSegment } from '../../model/deep-input.ts';
import { addFinding, type FindingList, MOST_FINDINGS } from '../../model/finding-list.ts';
import type { Tokenizer } from '../../model/tokenizer.ts';
import { finishWordOf } from '../../taxonomy/finish-word.ts';
import { promptEndOf, readTurns, type TurnMap } from './read-turns.ts';
import { controlIdsOf, endIdsOf, type TemplateRules } from './template-rules.ts';
import { textOf } from './text-of.ts';

/** What every check of a segment looks at. */
export interface SegmentView extends TurnMap {
  readonly input: DeepInput;
  readonly segment: DeepSegment;
  readonly ids: Uint32Array;
  readonly ranges: readonly DeepRange[];
  readonly rules: TemplateRules;
  readonly tokenizer: Tokenizer;
  readonly controls: ReadonlySet<number>;
  readonly ends: ReadonlySet<number>;
  /** By model call; null: it did not say. */
  readonly finishOf: (turn: number) => string | null;
  /** Ranges whose prompt was found to hold a control token. */
  readonly told: Set<number>;
  /** First token that is not shared with the parent, where it is audited. */
  readonly ownFrom: number;
  /** Notes a finding at a token; one in the part that is shared is the parent's. */
  readonly report: (what: Reported) => void;
  /** Text of the tokens `[from, to)`. */
  readonly text: (from: number, to: number) => string;
}

export interface Reported {
  readonly class: string;
  readonly severity: Found['severity'];
  readonly index: number;
  readonly detail: string;
  readonly expectedIds?: readonly number[];
  readonly expectedText?: string;
}

/** Ids that evidence shows before the place, and from it on. */
const IDS_BEFORE = 16;
const IDS_AFTER = 48;
const MOST_CHARACTERS = 400;

export function viewOf(
  input: DeepInput,
  segment: DeepSegment,
  rules: TemplateRules,
  tokenizer: Tokenizer,
  list: FindingList,
): SegmentView {
  const { tokenIds: ids, ranges } = segment;
  const ownFrom = ranges.findLast(({ copied }) => copied)?.end ?? 0;
  const text = (from: number, to: number): string => textOf(tokenizer, ids, from, to);
  const report = ({ index, expectedIds, expectedText, ...what }: Reported): void => {
    if (index < ownFrom) return;
    if (list.kept.length >= MOST_FINDINGS) {
      // Counted only: 200,000 of them must not cost 200,000 texts.
      addFinding(list, { ...what, turn: null, index });
      return;
    }
    const from = Math.max(0, index - IDS_BEFORE);
    const to = Math.min(ids.length, index + IDS_AFTER);
    addFinding(list, {
      ...what,
      detail: `${what.detail} (segment ${segment.id})`,
      turn: turnAt(ranges, index),
      index,
      evidence: {
        ids: [...ids.subarray(from, to)],
        text: text(from, to).slice(0, MOST_CHARACTERS),
        ...(expectedIds === undefined ? {} : { expectedIds: expectedIds.slice(0, IDS_AFTER) }),
        ...(expectedText === undefined ? {} : { expectedText: expectedText.slice(0, MOST_CHARACTERS) }),
      },
    });
  };
  const finishes = new Map(input.turns.map(({ turn, finishReason }) => [turn, finishReason]));
  const finishOf = (turn: number): string | null => {
    const finish = finishes.get(turn) ?? null;
    return finish === null ? null : finishWordOf(finish);
  };
  const controls = controlIdsOf(rules);
  const ends = endIdsOf(rules);
  const map = readTurns(segment, rules, tokenizer);
  return {
    ...map,
    input,
    segment,
    ids,
    ranges,
    rules,
    tokenizer,
    controls,
    ends,
    finishOf,
    told: new Set(),
    ownFrom,
    report,
    text,
  };
}

/** Turn of the range that holds a token; the end of a segment belongs to its last. */
function turnAt(ranges: readonly DeepRange[], index: number): number | null {
  return (ranges.find(({ end }) => index < end) ?? ranges.at(-1))?.turn ?? null;
}

/** Tokens of the prompts that are not shared with the parent, range by range. */
export function ownPromptsOf({ ranges }: SegmentView): ReadonlyArray<{ from: number; to: number }> {
  return ranges
    .map((range) => ({ from: range.promptStart, to: promptEndOf(range), copied: range.copied }))
    .filter(({ copied, from, to }) => !copied && to > from);
}
