/** Rows of CSV as ClickHouse writes it: quotes doubled, fields may hold line ends. An unquoted \N is null. */
export function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  let at = 0;
  while (at < text.length) {
    let field: string | null;
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      field = text.slice(at + 1, close).replaceAll('""', '"');
      at = close + 1;
    } else {
      const end = endOfField(text, at);
      field = text.slice(at, end).replace(/\r$/, '');
      if (field === '\\N') field = null;
      at = end;
    }
    row.push(field);
    if (text[at] === '\r') at += 1;
    if (text[at] !== ',') {
      rows.push(row);
      row = [];
    }
    at += 1;
  }
  return rows;
}

function closingQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] !== '"') continue;
    if (text[at + 1] !== '"') return at;
    at += 1;
  }
  return text.length;
}

function endOfField(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) if (text[at] === ',' || text[at] === '\n') return at;
  return text.length;
}
