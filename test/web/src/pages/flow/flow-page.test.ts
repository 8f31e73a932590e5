import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../../open-browser.ts';

/** Numbers are those of examples/rollouts/*\/expected.json, counted by hand. */
let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('says where the attempts of a run are, that its books balance, and that nothing runs; each place leads to its rollouts', async () => {
  const { page, problems, settled, accessibilityFindings, screenshot } = await browser.open(
    inject('exampleUrl'),
    '#/flow?run=files-events',
  );
  await page.getByText('Nothing runs: all 19 attempts are decided, 11 are queued').waitFor();
  await page.getByText('19 started = 11 ready + 7 rejected + 0 open + 0 lost + 1 superseded').waitFor();
  const places = await page.locator('.flow a').allTextContents();
  expect(places).toEqual([
    'started 19',
    'ready 11 · 57.9 %',
    'rejected 7 · 36.8 %',
    'superseded 1 · 5.3 %',
    'queued 11 · 57.9 %',
    'retry:env_crash 3 · 15.8 %',
    'env_crash 1 · 5.3 %',
    'retry:worker_lost 1 · 5.3 %',
    'termination_conflict 1 · 5.3 %',
    'verifier_timeout 1 · 5.3 %',
  ]);

  await page.locator('.flow a', { hasText: 'superseded' }).click();
  await page.waitForURL(/book=superseded/);
  await page.getByText('1 of 1 attempts, the newest first').waitFor();
  await page.locator('.flow a', { hasText: 'queued' }).click();
  await page.getByText('11 of 11 attempts, the newest first').waitFor();
  await page.locator('a.tile', { hasText: 'started' }).click();
  await page.getByText('19 of 19 attempts, the newest first').waitFor();
  // The torn last line of calculator-strands/results.jsonl.
  await page.locator('a.tile', { hasText: 'dead letters' }).getByText('1', { exact: true }).waitFor();
  await page.locator('a.tile', { hasText: 'open' }).click();
  await page.getByText('There is none now.').waitFor();
  await settled();
  await screenshot('flow-files-events');
  expect(await accessibilityFindings()).toEqual([]);
  expect(problems).toEqual([]);

  await page.locator('.flow a', { hasText: 'retry:env_crash' }).click();
  await page.waitForURL(/#\/failures\?run=files-events&reason=retry%3Aenv_crash$/);
});

it('has each run in a line where all are looked at, and says what to do for a run that nobody has heard of', async () => {
  const { page } = await browser.open(inject('exampleUrl'), '#/flow');
  const line = page.locator('tr', { has: page.getByRole('link', { name: 'kv-nemo' }) }).first();
  // started, ready, rejected, open, superseded, lost, queued, trained
  await line.waitFor();
  expect((await line.locator('td.number').allTextContents()).join(' ')).toBe('10 6 4 0 0 0 6 0');
  await page.evaluate('location.hash = "#/flow?run=nothing"');
  await page.getByText('No rollout of this run has started.').waitFor();
  expect(await page.locator('main').textContent()).toContain('npx rollstream import PATH');
});
