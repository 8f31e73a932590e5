import { type Row, textOf } from '../../api/rows.ts';

/** Under which documents a replay scores. `asked`: a row of asked.sql; undefined: not known. */
export function policyWords(asked: Row | undefined): string {
  if (asked === undefined) return '';
  const id = textOf(asked, 'policy_id');
  if (id === '') return 'as it was then';
  return `${textOf(asked, 'policy_name')} (${id.slice(0, 12)})`.trim();
}
