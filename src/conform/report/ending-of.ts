import type { Taxonomy } from '../../../processors/model/taxonomy.ts';
import { classify, primaryOf } from '../../../processors/taxonomy/classify.ts';
import type { RawReason } from '../../../schemas/generated/step-event.ts';
import type { RecordedEnding } from './recorded-rollout.ts';

/** The reason that decides; null: none was given by the stack. An idle deadline is not its word. */
export function endingOf(
  reasons: readonly RawReason[],
  exception: string | null,
  taxonomy: Taxonomy,
): RecordedEnding | null {
  const said = reasons.filter(({ raw, system }) => !(system === 'rollstream' && raw === 'idle'));
  const reason = primaryOf(
    taxonomy,
    said.flatMap((one) => classify(taxonomy, one, null)),
  );
  if (reason === null) return null;
  const { raw, system, category, detail } = reason;
  const told = [detail, exception].filter((text) => text !== null).join('; ');
  return { raw, system, category, detail: told === '' ? null : told };
}
