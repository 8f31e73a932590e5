import { ExactNumber } from '../ingest/exact-number.ts';
import type { FileExplanation } from '../ingest/explain/explain-file.ts';
import type { MappedField } from '../ingest/explain/explain-mapping.ts';
import type { Paint } from './paint.ts';
import { visible } from './table.ts';

const MOST_CHARACTERS = 40;

/** The mapping of a record for people: a line a value of the source. */
export function mappingText(explained: FileExplanation, paint: Paint): string {
  const { path, format, why, events, fields, dropped, isCut } = explained;
  const width = Math.min(60, Math.max(...fields.map((field) => field.path.length), 0));
  const lines = fields.map((field) => {
    const lands = landsText(field);
    return `  ${visible(field.path).padEnd(width)}  ${shown(field.value).padEnd(MOST_CHARACTERS + 2)}  ${
      field.lands.length === 0 && !field.isChecked ? paint('red', lands) : lands
    }`;
  });
  const kinds = [...countsOf(events.map(({ kind }) => kind))].map(([kind, n]) => `${n} ${kind}`).join(', ');
  return [
    `${visible(path)}: ${paint('bold', format)} (${visible(why)})`,
    `One record becomes ${events.length} events: ${kinds}`,
    '',
    ...lines,
    '',
    ...(isCut ? ['There are more values than were looked at.'] : []),
    dropped.length === 0 ? 'Every value is in an event.' : `${dropped.length} values are in no event.`,
    '',
  ].join('\n');
}

export function mappingJson({ path, format, why, events, fields, dropped, isCut }: FileExplanation): string {
  const mapped = fields.map(({ value, isChecked, ...field }) => ({
    ...field,
    value: value instanceof ExactNumber ? value.text : value,
    is_checked: isChecked,
  }));
  return `${JSON.stringify({ path, format, why, events: events.length, fields: mapped, dropped, is_cut: isCut })}\n`;
}

/** What is in more places than that decides the whole mapping: the first ones say enough. */
const MOST_PLACES = 4;

function landsText({ lands, isChecked }: MappedField): string {
  if (lands.length === 0) return isChecked ? '(checked)' : 'in no event';
  const more = lands.length > MOST_PLACES ? `, and ${lands.length - MOST_PLACES} more` : '';
  return `${lands.slice(0, MOST_PLACES).join(', ')}${more}`;
}

function shown(value: MappedField['value']): string {
  const text = value instanceof ExactNumber ? value.text : JSON.stringify(value);
  return visible(text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text);
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}
