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
  expect(problems).toEqual([]);
});
