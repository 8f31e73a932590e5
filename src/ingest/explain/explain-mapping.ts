import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import type { ImportContext, Importer, ParsedLine, Refusal } from '../importer.ts';
import { fieldsOf, placeOf } from './event-fields.ts';
import { type Leaf, leavesOf, othersThan, pathOf, withLeaf } from './leaves.ts';

/** Where a value of the source goes. */
export interface MappedField {
  /** Of several records: `line 2: a.b[0]`. */
  readonly path: string;
  readonly value: Leaf['value'];
  /** Fields of events that become others when it does, such as `model_call.raw_text` or `start extra_json.note`. */
  readonly lands: readonly string[];
  /** Another value there is refused: it is checked against others. */
  readonly isChecked: boolean;
}

export interface Mapping {
  readonly events: readonly StepEventInit[];
  readonly fields: readonly MappedField[];
  /** Values that could be anything and no event would tell. */
  readonly dropped: readonly string[];
  /** More values than were looked at. */
  readonly isCut: boolean;
}

/** Each costs a mapping of the record. */
const MOST_LEAVES = 5_000;

/**
 * What an importer makes of records, value by value. It is not told by the importer, but found out: each value is replaced by
 * another, and the events that come out are compared with those before. So nothing can be claimed that is not so.
 */
export function explainMapping(
  importer: Importer,
  records: readonly JsonObject[],
  context: ImportContext,
): Mapping | { readonly refused: Refusal } {
  const plain = mapped(importer, records, context);
  if ('refused' in plain) return plain;
  const before = fieldsOf(plain.events);
  const fields: MappedField[] = [];
  let isCut = false;
  for (const [i, record] of records.entries()) {
    for (const leaf of leavesOf(record)) {
      isCut = fields.length >= MOST_LEAVES;
      if (isCut) break;
      const path = `${records.length > 1 ? `line ${i + 1}: ` : ''}${pathOf(leaf.steps)}`;
      fields.push({ path, value: leaf.value, ...effectOf(leaf, i) });
    }
  }
  const dropped = fields.filter(({ lands, isChecked }) => lands.length === 0 && !isChecked).map(({ path }) => path);
  return { events: plain.events, fields, dropped, isCut };

  function effectOf(leaf: Leaf, place: number): Pick<MappedField, 'lands' | 'isChecked'> {
    let isChecked = false;
    for (const other of othersThan(leaf.value)) {
      const changed = records.map((record, i) =>
        i === place ? objectOf(withLeaf(record, leaf.steps, other)) : record,
      );
      const after = mapped(importer, changed, context);
      if ('refused' in after) isChecked = true;
      else {
        const lands = changedFields(before, fieldsOf(after.events));
        if (lands.length > 0) return { lands, isChecked: false };
      }
    }
    return { lands: [], isChecked };
  }
}

function objectOf(value: JsonValue): JsonObject {
  return isObject(value) ? value : {};
}

function mapped(
  importer: Importer,
  records: readonly JsonObject[],
  context: ImportContext,
): { readonly events: readonly StepEventInit[] } | { readonly refused: Refusal } {
  const mapping = importer.open(context);
  const events: StepEventInit[] = [];
  for (const [i, value] of records.entries()) {
    const result = mapping.take(recordOf(value, i));
    if ('refused' in result) return result;
    events.push(...result.events);
  }
  for (const { result } of mapping.end?.() ?? []) {
    if ('refused' in result) return result;
    events.push(...result.events);
  }
  return { events };
}

/** The hash stays whatever the value is: what it decides (ids) says nothing of where the value went. */
function recordOf(value: JsonObject, place: number): ParsedLine {
  const sha256 = place.toString(16).padStart(64, '0');
  return { value, sha256, location: `record:${place + 1}`, duplicateKeys: [] };
}

function changedFields(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const places = new Set<string>();
  for (const [field, value] of after) if (before.get(field) !== value) places.add(placeOf(field));
  for (const field of before.keys()) if (!after.has(field)) places.add(placeOf(field));
  return [...places];
}
