import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type OpenBrowser, openBrowser } from '../open-browser.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('every page draws a run of 100,000 trajectories, and leads from a reason to one of its rollouts', async () => {
  const { page, problems, settled, screenshot } = await browser.open(inject('bigUrl'), '#/flow?run=big');
  for (const path of ['flow', 'failures', 'audits', 'wall', 'groups', 'replays', 'sql', 'rollout']) {
    await page.locator(`nav a[href^="#/${path}"]`).click();
    await page.locator(`nav a[aria-current=page][href^="#/${path}"]`).waitFor();
    await settled();
    expect([path, await page.locator('.error').allTextContents()]).toEqual([path, []]);
    await screenshot(`${path}-big`);
  }

  await page.locator('nav a[href^="#/failures"]').click();
  await page.getByRole('region', { name: 'Attempts by reason' }).getByRole('link').first().click();
  await page.waitForURL(/#\/failures\?.*reason=/);
  const behind = page.locator('section.card', { has: page.getByRole('heading', { name: 'Rollouts behind it' }) });
  await behind.locator('a[href^="#/rollout?"]').first().click();
  await page.waitForURL(/#\/rollout\?.*run=big/);
  await settled();
  const id = new URLSearchParams(new URL(page.url()).hash.split('?')[1]).get('id') ?? '';
  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(id);
  expect(problems).toEqual([]);
});
