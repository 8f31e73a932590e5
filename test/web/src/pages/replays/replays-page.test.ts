import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { packageFile } from '../../../../../src/config/package-file.ts';
import { type OpenBrowser, openBrowser } from '../../../open-browser.ts';

const url = inject('exampleUrl');
const ID = 'strict-recipes';

let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
  const text = readFileSync(packageFile('processors/decide/policies/strict.yaml'), 'utf8');
  const body = {
    replay_id: ID,
    runs: ['recipe-strands'],
    policy: { text, name: 'strict.yaml' },
    save: true,
    label: 'what if',
  };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/v1/replays`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
});
afterAll(() => browser.close());

// examples/expected-by-policy.json, strict: the three of five that would train have weights that nobody announced.
it('a replay shows its state until it is done, then what changed, by group and by rollout', async () => {
  const { page, problems, settled, accessibilityFindings, screenshot } = await browser.open(
    url,
    '#/replays?run=recipe-strands',
  );
  const list = page.getByRole('region', { name: /replays?, the newest first/ });
  const row = list.getByRole('row', { name: /^what if/ });
  await row.getByText('done', { exact: true }).waitFor({ timeout: 120_000 });
  expect((await row.getByRole('cell').allInnerTexts()).slice(0, 8)).toEqual([
    ...['what if', 'recipe-strands', expect.stringMatching(/^strict \([0-9a-f]{12}\)$/), 'done', 'kept', '5', '3', '0'],
  ]);
  await row.getByRole('link').click();
  await settled();

  await page.getByText(/^changed: 3 of 5 /).waitFor();
  const dispositions = page.getByRole('region', { name: 'Dispositions, from what to what' });
  expect(
    await dispositions
      .getByRole('row', { name: /^train / })
      .getByRole('cell')
      .allInnerTexts(),
  ).toEqual([...['3', '·', '·']]);
  const groups = page.getByRole('region', { name: 'By group' }).getByRole('row');
  expect((await groups.nth(1).getByRole('cell').allInnerTexts()).slice(0, 4)).toEqual([
    ...['recipe-strands/0/g/recipe-custard', '3', '3', '0'],
  ]);
  const rollouts = page.getByRole('region', { name: 'Rollouts that changed most' });
  expect(await rollouts.getByRole('link').allInnerTexts()).toEqual(
    [0, 3, 4].map((member) => `recipe-custard_${member}`),
  );
  expect(await rollouts.getByRole('row').nth(1).textContent()).toContain(
    'train → drop: weights_unknown, task_complete',
  );
  expect(await rollouts.getByRole('link').first().getAttribute('href')).toBe(
    `#/rollout?run=recipe-strands&id=recipe-custard_0&attempt=0&view=diff&replay=${ID}`,
  );
  expect(await accessibilityFindings()).toEqual([]);
  await screenshot('replays-report');

  await groups.getByRole('link').click();
  const versions = page.getByRole('region', { name: 'What was decided live, and by each replay' });
  await versions.getByText('train → drop').first().waitFor();
  expect(await versions.getByText('train → drop').count()).toBe(3);
  expect(problems).toEqual([]);
});

it('a run that nothing was scored again of says the command that does, and a name that nobody knows is told', async () => {
  const { page } = await browser.open(url, '#/replays?run=math&replay=nobody');
  const text = await page.locator('main').textContent();
  expect(text).toContain('npx rollstream replay --run math --policy strict');
  expect(text).toContain('No replay has the name nobody.');
});
