import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../../open-browser.ts';

/** Numbers are those of examples/rollouts/*\/expected.json, counted by hand. */
let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('says what was not trained and why, and each bar, cell and task shows its rollouts', async () => {
  const { page, problems, settled, accessibilityFindings, screenshot } = await browser.open(
    inject('exampleUrl'),
    '#/failures?run=files-events',
  );
  const card = (title: string) =>
    page.locator('.card', { has: page.getByRole('heading', { name: title, exact: true }) });
  const list = card('Rollouts behind it');
  await page
    .getByText(
      '39 % of 18 did not train: 3 env_crash, to run again (env), 1 env_crash (env), 1 worker_lost, to run again (infra), 2 for other reasons.',
    )
    .waitFor();
  await list.getByText('7 of 7 attempts').waitFor();

  await card('By reason').getByRole('link', { name: 'retry:env_crash' }).click();
  await page.waitForURL(/reason=retry%3Aenv_crash/);
  await list.getByText('3 of 3 attempts').waitFor();
  const links = list.locator('tbody a');
  expect((await links.allTextContents()).sort()).toEqual(['raise-timeout_1', 'release-notes_7', 'release-notes_7']);
  expect(await links.filter({ hasText: 'raise-timeout_1' }).getAttribute('href')).toBe(
    '#/rollout?run=files-events&id=raise-timeout_1&epoch=0&attempt=0',
  );
  await card('Fault owners').getByText('Not narrowed by reason.').waitFor();
  await settled();
  expect(await accessibilityFindings()).toEqual([]);
  await screenshot('failures-picked');

  await page.getByRole('link', { name: 'remove reason' }).click();
  await list.getByText('7 of 7 attempts').waitFor();
  // A verdict that never came is the verifier's, however the loop ended.
  await card('Fault owners').getByRole('link', { name: 'verifier' }).click();
  await list.getByText('1 of 1 attempts').waitFor();
  await page.getByRole('link', { name: 'clear all' }).click();

  // Of the only hour the lowest part of the bar: the most frequent reason.
  const chart = card('Over hours').locator('canvas');
  await chart.scrollIntoViewIfNeeded();
  const box = await chart.boundingBox();
  await chart.click({ position: { x: (box?.width ?? 0) / 2 + 10, y: (box?.height ?? 0) - 45 } });
  await page.waitForURL(/hour=2026-03-02\+09%3A00%3A00&reason=retry%3Aenv_crash/);
  await list.getByText('3 of 3 attempts').waitFor();
  await page.getByRole('link', { name: 'clear all' }).click();

  await card('By environment and model').locator('tbody a', { hasText: '7' }).click();
  await page.waitForURL(/env=file-desk&model=Qwen%2FQwen3-4B/);
  await list.getByText('7 of 7 attempts').waitFor();
  await card('Worst tasks').getByRole('link', { name: 'release-notes', exact: true }).click();
  await page.waitForURL(/task=release-notes/);
  await list.getByText('6 of 6 attempts').waitFor();
  await page.getByRole('link', { name: 'clear all' }).click();

  const downloads = page.waitForEvent('download');
  await card('Fault owners').getByRole('button', { name: 'numbers' }).click();
  await card('Fault owners').getByRole('button', { name: 'CSV' }).click();
  expect((await downloads).suggestedFilename()).toBe('fault-owners.csv');

  await card('Time-outs').getByRole('link', { name: 'wall_clock' }).click();
  await list.getByText('1 of 1 attempts').waitFor();
  await page.getByRole('link', { name: 'clear all' }).click();
  await card('Contradictions').getByRole('link', { name: 'the loop says task_complete' }).click();
  await list.getByRole('link', { name: 'release-notes_0' }).waitFor();
  expect(problems).toEqual([]);
});

it('of all runs it finds raw reasons that the taxonomy does not know, and attempts without a time', async () => {
  const { page, problems } = await browser.open(inject('exampleUrl'), '#/failures?run=kv-nemo');
  const list = page.locator('.card', { has: page.getByRole('heading', { name: 'Rollouts behind it' }) });
  await page.getByRole('link', { name: 'no reason given' }).click();
  await list.getByRole('link', { name: 'kv_store_agent/0/3' }).waitFor();
  await page.getByRole('link', { name: 'clear all' }).click();
  await page.getByRole('link', { name: '4 attempts have no time' }).click();
  await page.waitForURL(/hour=%28none%29/);
  await list.getByText('4 of 4 attempts').waitFor();
  await page.evaluate('location.hash = "#/failures?run=math"');
  await page.getByText('All 64 decided attempts go to the trainer.').waitFor();
  await page.evaluate('location.hash = "#/failures?run=nothing"');
  await page.getByText('No attempt was decided yet.').waitFor();
  expect(problems).toEqual([]);
});
