import Table from 'cli-table3';
import { type Paint, plain } from './paint.ts';

const NO_LINES = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Columns under their names, numbers to the right; control characters are shown, never obeyed. */
export function drawTable(
  head: readonly string[],
  rows: readonly (readonly (string | null)[])[],
  paint: Paint = plain,
): string {
  const numeric = head.map((_, column) => {
    const cells = rows.flatMap((row) => row[column] ?? []);
    return cells.length > 0 && cells.every(isNumber);
  });
  const table = new Table({
    head: head.map((name) => paint('bold', visible(name))),
    colAligns: numeric.map((isNumeric) => (isNumeric ? 'right' : 'left')),
    chars: NO_LINES,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  });
  for (const row of rows) table.push(row.map((cell) => (cell === null ? paint('dim', 'null') : visible(cell))));
  return `${table.toString().replace(/ +$/gm, '')}\n`;
}

function isNumber(cell: string): boolean {
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(cell);
}

/** Data of a rollout must not move the cursor of whoever reads it. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    if (character === '\n') return '\\n';
    if (character === '\t') return '\\t';
    if (character === '\r') return '\\r';
    const code = character.charCodeAt(0).toString(16);
    // What turns the direction of the text around makes a line say something else.
    return code.length > 2 ? `\\u${code}` : `\\x${code.padStart(2, '0')}`;
  });
}
