import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../../open-browser.ts';

/** Numbers are those of examples/rollouts/*\/expected.json, counted by hand. */
let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('a named query is found, asked with values, changed into a statement of one’s own, and taken away as a file', async () => {
  const { page, problems, settled, accessibilityFindings, screenshot } = await browser.open(
    inject('exampleUrl'),
    '#/sql?run=math',
  );
  await page.getByLabel('named queries').first().waitFor();
  await page.getByPlaceholder('search').fill('whose fault');
  await page.getByRole('link', { name: 'Fault owners' }).click();
  await page.waitForURL(/#\/sql\?run=math&named=fault_owners$/);
  // All 64 of the picked run are complete.
  await page.getByText('1 row in').waitFor();
  await page.getByLabel('run String').fill('files-events');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.waitForURL(/p\.run=files-events/);
  await page.getByText('6 rows in').waitFor();
  await settled();
  expect(await accessibilityFindings()).toEqual([]);
  await screenshot('sql-named');

  const box = page.getByRole('textbox', { name: 'SQL' });
  await box.fill(
    'SELECT disposition, count() AS n, toUInt64(18446744073709551615) AS big FROM rollstream.live_decisions WHERE run_id = {run:String} GROUP BY 1 ORDER BY n DESC, 1',
  );
  await box.press('Control+Enter');
  await page.waitForURL(/sql=SELECT/);
  // 10 train, 1 masked, 2 quarantine, 4 retry, 1 drop, 1 superseded
  await page.getByText('6 rows in').waitFor();
  expect(await cellsOf(page)).toEqual(['train', '10', '18446744073709551615', 'retry', '4', '18446744073709551615']);
  const [csv] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'CSV' }).click()]);
  expect(csv.suggestedFilename()).toBe('query.csv');
  expect((await readFile(await csv.path(), 'utf8')).split('\n').slice(0, 2)).toEqual([
    '"disposition","n","big"',
    '"train",10,18446744073709551615',
  ]);
  const [json] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'JSON' }).click()]);
  expect(await readFile(await json.path(), 'utf8')).toContain(
    '{"disposition":"train","n":10,"big":18446744073709551615}',
  );
  expect(problems).toEqual([]);
});

it('a link asks what it says; a list of numbers is drawn; the engine’s errors stand in its words; tables say what they hold', async () => {
  const sql = 'SELECT disposition, count() AS n FROM rollstream.live_decisions WHERE run_id = {run:String} GROUP BY 1';
  const { page } = await browser.open(
    inject('exampleUrl'),
    `#/sql?${new URLSearchParams({ sql, 'p.run': 'kv-nemo' })}`,
  );
  await page.getByRole('img', { name: 'n by disposition, 4 rows' }).waitFor();
  await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT nothing_here FROM rollstream.live_decisions');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('alert').getByText('nothing_here').waitFor();
  await page.getByRole('textbox', { name: 'SQL' }).fill('DROP TABLE rollstream.steps');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.getByRole('alert').getByText('RS_QUERY_REFUSED').waitFor();

  await page.getByText('live_decisions', { exact: true }).click();
  await page.locator('details[open]').getByText('Null is not 0').waitFor();
  await page.locator('details[open]').getByRole('link', { name: 'query it' }).click();
  await page.waitForURL(/live_decisions/);
  await page.getByRole('link', { name: 'Admission' }).click();
  await page.getByText('It needs run: the run. Fill it in above, and run.').waitFor();
});

async function cellsOf(page: Page): Promise<string[]> {
  const cells = await page.locator('.result tbody td').allTextContents();
  return cells.slice(0, 6);
}
