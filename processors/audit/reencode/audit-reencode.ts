import { type AuditAnswer, type Found, notAuditable } from '../../model/audit-summary.ts';
import type { DeepInput, DeepRange, DeepSegment } from '../../model/deep-input.ts';
import { addFinding, answerOfList, createFindingList } from '../../model/finding-list.ts';
import type { Tokenizer } from '../../model/tokenizer.ts';
import { type Drift, firstDrift } from './first-drift.ts';
import { refusalOf } from './refusal-of.ts';
import { idsAround, textAround } from './shown.ts';

/** Also a count of what was looked at, for a rate. */
export interface ReencodeReport extends AuditAnswer {
  /** Completions that were decoded and encoded again, those that gave other ids, and the tokens of all. */
  readonly chunks: number;
  readonly drifted: number;
  readonly tokens: number;
}

/**
 * Would the text of what was sampled give its ids again? Each completion by itself, at its recorded boundaries. Natural drift is
 * reported and nobody's fault: models sample splits that no encoder makes. Whoever trains on text trains on other tokens there.
 */
export function auditReencode(input: DeepInput, tokenizer: Tokenizer): ReencodeReport {
  const counts = { chunks: 0, drifted: 0, tokens: 0 };
  const refusal = refusalOf(input, tokenizer);
  if (refusal !== null) return { ...notAuditable(refusal), ...counts };
  const list = createFindingList();
  let missing: string | null = null;
  const finishReasons = new Map(input.turns.map(({ turn, finishReason }) => [turn, finishReason]));
  for (const segment of input.segments) {
    for (const range of segment.ranges) {
      if (range.copied || range.sampledStart >= range.end) continue;
      const ids = segment.tokenIds.subarray(range.sampledStart, range.end);
      if (!ids.every(tokenizer.has)) {
        missing ??= `a tokenizer that has all the ids that call ${range.turn} sampled`;
        continue;
      }
      const drift = driftOf(ids, tokenizer);
      if (drift === 'too long') {
        missing ??= `an encoder that takes as much text as call ${range.turn} sampled`;
        continue;
      }
      counts.chunks += 1;
      counts.tokens += ids.length;
      if (drift === null) continue;
      counts.drifted += 1;
      addFinding(list, driftFound(segment, range, ids, drift, tokenizer, finishReasons.get(range.turn) ?? null));
    }
  }
  return { ...answerOfList(list, missing), ...counts };
}

function driftOf(ids: Uint32Array, tokenizer: Tokenizer): Drift | null | 'too long' {
  try {
    return firstDrift(ids, tokenizer);
  } catch (error) {
    if (error instanceof RangeError) return 'too long';
    throw error;
  }
}

function driftFound(
  { id }: DeepSegment,
  { turn, sampledStart, end }: DeepRange,
  ids: Uint32Array,
  drift: Drift,
  tokenizer: Tokenizer,
  finishReason: string | null,
): Found {
  const { index, count, encodedCount, encoded } = drift;
  const isBenign = drift.class === 'partial_utf8' && drift.isCut && finishReason === 'length';
  const why = isBenign
    ? 'the limit of length cut a character in two, which is benign as long as ids are kept'
    : WHY[drift.class];
  return {
    ...{ class: drift.class, severity: 'warn', turn, index: sampledStart + index },
    detail: `of ${end - sampledStart} tokens that call ${turn} sampled (segment ${id}), ${count} from token ${sampledStart + index} on come back as ${encodedCount} others: ${why}`,
    evidence: {
      ids: idsAround(ids, index, count),
      expectedIds: idsAround(encoded, index, encodedCount),
      text: textAround(tokenizer, ids, index, count),
      expectedText: textAround(tokenizer, encoded, index, encodedCount),
    },
  };
}

const WHY: Readonly<Record<Drift['class'], string>> = {
  bpe_split: 'the same text, split in another way that the vocabulary allows',
  special_spelling: 'ordinary tokens spell an added token, or the other way round',
  normalizer: 'the tokenizer changes the text (NFC) before it encodes it',
  partial_utf8: 'the bytes are not whole characters, and text cannot hold them',
};
