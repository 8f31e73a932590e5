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

it('an archived run is shown when it is asked for, with what was said of it', async () => {
  const url = inject('exampleUrl');
  const ask = (path: string, method: string, body: object): Promise<Response> =>
    fetch(new URL(path, url), { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  await ask('/v1/runs', 'POST', { run_id: 'old one', purpose: 'eval', note: 'the <b>first</b> try' });
  await ask('/v1/runs/old%20one/archive', 'POST', {});
  const { page } = await browser.open(url);
  const options = page.locator('.run select option');
  await page.locator('.closed-runs').waitFor();
  expect(await options.allTextContents()).not.toContain('old one (0), archived');
  await page.locator('.closed-runs input').check();
  await page.locator('.run select option[value="old one"]').waitFor({ state: 'attached' });
  expect(await options.allTextContents()).toContain('old one (0), archived');
  await page.locator('.run select').selectOption('old one');
  expect(await page.locator('.run-note').textContent()).toMatch(
    /^archived since \S+ \S+ UTC · purpose: eval · the <b>first<\/b> try$/,
  );
  await ask('/v1/runs/old%20one', 'DELETE', { confirm: 'old one' });
});

it('a page that does not exist says where the pages are', async () => {
  const { page } = await browser.open(inject('exampleUrl'), '#/nothing');
  expect(await page.locator('main').textContent()).toContain('There is no page of this name');
});
