import type { Row } from '../../api/rows.ts';

export function stateWords(row: Row): string {
  return row.interrupted === true ? `${row.state}, but nobody works on it` : String(row.state);
}

export function stateTone(row: Row): 'good' | 'warn' | 'bad' | '' {
  if (row.state === 'done') return 'good';
  if (row.state === 'failed') return 'bad';
  return row.interrupted === true || row.state === 'cancelled' ? 'warn' : '';
}
