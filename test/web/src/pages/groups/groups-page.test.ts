import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../../open-browser.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

// files-events/expected.json: raise-timeout_0 and _2 are right, _3 is wrong, the sandbox of _1 crashed. Rewards 1, 1, 0: mean 2/3,
// std sqrt(1/3) = 0.577, advantages (1/3) / 0.577 = 0.577 and (-2/3) / 0.577 = -1.155.
it('a group that lost a member is partial, and shows what its advantages come from and who was left out', async () => {
  const { page, problems, settled, accessibilityFindings, screenshot } = await browser.open(
    inject('exampleUrl'),
    '#/groups?run=files-events&state=partial',
  );
  const list = page.getByRole('region', { name: /groups?, the worst first/ });
  expect(await list.getByRole('row').count()).toBe(2);
  await list.getByRole('link', { name: 'raise-timeout' }).click();
  await settled();

  const main = page.locator('main');
  await page.getByText('partial: 3 of 4 members').waitFor();
  expect(await main.textContent()).toContain('over 3 rewards with mean 0.667 and std 0.577. 1 try has no reward');
  const members = page.getByRole('region', { name: 'Members' }).getByRole('row');
  expect(await members.nth(1).getByRole('cell').allInnerTexts()).toEqual([
    ...['raise-timeout_0', 'train', 'task_complete', '1', '0.577', 'yes', 'yes', 'yes', '433', '–', ''],
  ]);
  expect(await members.nth(2).getByRole('cell').allInnerTexts()).toEqual([
    ...['raise-timeout_1', 'retry', 'retry:env_crash', '–', 'none', 'no', 'no', 'no', '289', '–'],
    'to be run again: retry:env_crash',
  ]);
  expect(await members.nth(4).textContent()).toContain('-1.155');
  const dots = page.getByRole('list', { name: 'Rewards of the members' }).getByRole('link');
  expect(await dots.allTextContents()).toEqual([
    'raise-timeout_0: reward 1, in the loss',
    'raise-timeout_2: reward 1, in the loss',
    'raise-timeout_3: reward 0, in the loss',
  ]);
  expect(await accessibilityFindings()).toEqual([]);
  await screenshot('groups-partial');
  await dots.nth(2).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#\/rollout\?run=files-events&id=raise-timeout_3/);
  expect(problems).toEqual([]);
});

// calculator-events/expected.json: change-20 is right three times of three, fence-40 wrong twice.
it('groups without spread are named so, and teach nothing', async () => {
  const { page, settled } = await browser.open(inject('exampleUrl'), '#/groups?run=calculator-events');
  await page.getByRole('link', { name: '2 zero variance' }).click();
  const list = page.getByRole('region', { name: /groups?, the worst first/ });
  await expect
    .poll(() => list.getByRole('link').allInnerTexts(), { timeout: 30_000 })
    .toEqual(['change-20', 'fence-40']);
  await list.getByRole('link', { name: 'change-20' }).click();
  await settled();
  await page.getByText('each advantage is 0, and nothing is learnt').waitFor();
});
