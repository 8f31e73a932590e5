import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type OpenBrowser, openBrowser } from '../open-browser.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const PATHS = ['flow', 'failures', 'audits', 'wall', 'groups', 'rollout', 'replays', 'sql'];

for (const theme of ['light', 'dark'] as const) {
  it(`every page draws in the ${theme} theme without an error, a request elsewhere or a serious finding of axe`, async () => {
    const { page, problems, settled, accessibilityFindings, screenshot } = await browser.open(
      inject('exampleUrl'),
      '',
      {
        theme,
      },
    );
    for (const path of PATHS) {
      await page.locator(`nav a[href^="#/${path}"]`).click();
      await page.locator(`nav a[aria-current=page][href^="#/${path}"]`).waitFor();
      await settled();
      expect([path, await page.locator('.error').allTextContents()]).toEqual([path, []]);
      expect([path, await accessibilityFindings()]).toEqual([path, []]);
      await screenshot(`${path}-${theme}`);
    }
    expect(problems).toEqual([]);
  });
}

it('the run that is picked stays picked from page to page, and stands in the link', async () => {
  const { page } = await browser.open(inject('exampleUrl'));
  await page.locator('.run select').selectOption('math');
  await page.locator('nav a[href^="#/failures"]').click();
  await page.waitForURL(/#\/failures\?run=math$/);
  expect(await page.locator('.run select').inputValue()).toBe('math');
});

it('a page that does not exist says where the pages are', async () => {
  const { page } = await browser.open(inject('exampleUrl'), '#/nothing');
  expect(await page.locator('main').textContent()).toContain('There is no page of this name');
});
