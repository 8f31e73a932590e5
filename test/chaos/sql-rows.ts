/** Rows of a query, by ClickHouse's own HTTP interface. */
export async function sqlRows<Row>(url: string, text: string): Promise<Row[]> {
  const answer = await fetch(url, { method: 'POST', body: `${text} FORMAT JSONEachRow` });
  const body = await answer.text();
  if (!answer.ok) throw new Error(`${text}: ${body}`);
  return body
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Row => JSON.parse(line));
}
