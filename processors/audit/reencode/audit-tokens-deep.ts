import { type AuditAnswer, notAuditable } from '../../model/audit-summary.ts';
import type { DeepInput, DeepSegment } from '../../model/deep-input.ts';
import { addFinding, answerOfList, createFindingList, type FindingList } from '../../model/finding-list.ts';
import type { Tokenizer } from '../../model/tokenizer.ts';
import { compareRawText } from './compare-raw-text.ts';
import { historyBreak } from './history-break.ts';
import { refusalOf } from './refusal-of.ts';
import { idsAround } from './shown.ts';

/**
 * What a tokenizer adds to the audit of tokens: ids that it does not have, what a rewritten history did to earlier completions, and
 * kept texts that are not those of the ids. Ids that were sampled and that it does not have are told by the re-encode audit.
 */
export function auditTokensDeep(input: DeepInput, tokenizer: Tokenizer): AuditAnswer {
  const refusal = refusalOf(input, tokenizer);
  if (refusal !== null) return notAuditable(refusal);
  const list = createFindingList();
  const byId = new Map(input.segments.map((segment) => [segment.id, segment]));
  const rawTexts = new Map(input.turns.map(({ turn, rawText }) => [turn, rawText]));
  for (const segment of input.segments) {
    addUnknownIds(list, segment, tokenizer);
    const parent = segment.parentId === null ? undefined : byId.get(segment.parentId);
    if (parent !== undefined) for (const found of historyBreak(segment, parent, tokenizer)) addFinding(list, found);
    for (const range of segment.ranges) {
      const rawText = range.copied ? null : (rawTexts.get(range.turn) ?? null);
      if (rawText === null || !segment.tokenIds.subarray(range.sampledStart, range.end).every(tokenizer.has)) continue;
      const found = compareRawText(segment, range, rawText, tokenizer);
      if (found !== null) addFinding(list, found);
    }
  }
  return answerOfList(list, null);
}

/** The first of each prompt and of each completion. */
function addUnknownIds(list: FindingList, { id, tokenIds, ranges }: DeepSegment, tokenizer: Tokenizer): void {
  for (const { turn, promptStart, sampledStart, end, copied } of ranges) {
    if (copied) continue;
    const parts = [
      { whose: `the prompt of call ${turn} holds`, from: promptStart, to: sampledStart },
      { whose: `call ${turn} sampled`, from: sampledStart, to: end },
    ];
    for (const { whose, from, to } of parts) {
      const ids = tokenIds.subarray(from, to);
      const at = ids.findIndex((one) => !tokenizer.has(one));
      if (at === -1) continue;
      addFinding(list, {
        ...{ class: 'oov_id', severity: 'fail', turn, index: from + at },
        detail: `${whose} id ${ids[at]} (segment ${id}), which the tokenizer does not have: its ids end at ${tokenizer.size - 1}`,
        evidence: { ids: idsAround(ids, at, 1) },
      });
    }
  }
}
