import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type OpenBrowser, openBrowser } from '../../../open-browser.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

// calculator-strands/results.jsonl: of 12 attempts one was never sampled (tank-77_5, first try); in invoice-1042_4 two braces that
// the model left out were added in silence, and tank-77_2 ended while its tool ran.
it('what the audit of tools found stands beside the limits, and a silent repair beside what the model wrote', async () => {
  const { page, problems, settled, accessibilityFindings, screenshot } = await browser.open(
    inject('exampleUrl'),
    '#/audits?run=calculator-strands',
  );
  const results = page.locator('.card', { has: page.getByRole('heading', { name: 'Results' }) });
  const tools = results.getByRole('row', { name: /^tools / });
  expect(await tools.getByRole('cell').allInnerTexts()).toEqual([
    ...['tools', '9', '1', '1', '1', '91.7 %'],
    expect.stringContaining('9.1 % (1.6 % to 37.7 %)'),
  ]);
  // A first try that was never sampled, times that Strands does not give, and no tokenizer for the examples.
  const lacks = page.locator('.card', { has: page.getByRole('heading', { name: 'Why not auditable' }) });
  expect(await lacks.locator('tbody tr').allInnerTexts()).toEqual([
    expect.stringMatching(/^reencode\s+no tokenizer is configured\s+12\s/),
    expect.stringMatching(/^template\s+no tokenizer is configured\s+12\s/),
    expect.stringMatching(/^wall\s+no start or end time\s+12\s/),
    expect.stringMatching(/^numbers\s+no model call\s+1\s/),
    expect.stringMatching(/^tokens\s+no model call\s+1\s/),
    expect.stringMatching(/^tools\s+no model call\s+1\s/),
  ]);
  const limit = page.getByRole('row', { name: /^executed_repairs/ });
  expect(await limit.textContent()).toMatch(/at most 0.0 %[\s\S]*1 of 11[\s\S]*over, too few to be sure/);

  await page.getByRole('combobox', { name: /^finding/ }).selectOption('silent_repair');
  await settled();
  await page.waitForURL(/class=silent_repair/);
  const finding = page.getByRole('article');
  await expect.poll(() => finding.count(), { timeout: 30_000 }).toBe(1);
  expect(await finding.locator('figure').allInnerTexts()).toEqual([
    expect.stringMatching(/^the model wrote\s+<tool_call>[\s\S]*74\.50\)"\n<\/tool_call>$/),
    expect.stringMatching(/^was executed\s+\{"expression":"0\.9 \* \(3 \* 189\.90 \+ 2 \* 74\.50\)"\}$/),
  ]);
  // The brace that the model did not write, and the place where it is missing.
  expect(await finding.locator('figure').last().locator('mark').allInnerTexts()).toEqual(['}']);
  expect(await finding.locator('figure').first().locator('mark.gap').count()).toBe(1);
  expect(await finding.getByRole('link').getAttribute('href')).toBe(
    '#/rollout?run=calculator-strands&id=invoice-1042_4&attempt=0&turn=0&view=tokens',
  );
  expect(await accessibilityFindings()).toEqual([]);
  await screenshot('audits-silent-repair');
  expect(problems).toEqual([]);
});

// kv-nemo/rollouts.jsonl: the prompt of its second call has 72239, 1718 where 39, 83722 were sampled.
it('ids that drifted stand beside those that were sampled, with the first difference, and lead to their token', async () => {
  const { page } = await browser.open(inject('exampleUrl'), '#/audits?audit=tokens&class=pipeline_drift');
  const finding = page.getByRole('article');
  const pairs = await finding.getByRole('listitem').allInnerTexts();
  expect(pairs.slice(0, 3).map((pair) => pair.split(/\s+/))).toEqual([
    ['39', '72239'],
    ['83722', '1718'],
    ['1', '1'],
  ]);
  expect(await finding.locator('li.first').allInnerTexts()).toEqual([expect.stringMatching(/^39\s+72239$/)]);
  expect(await finding.textContent()).toContain(
    '“was sampled” above, “in the prompt” below. The first difference is at place 1: 39 above, 72239 below.',
  );
  expect(await finding.getByRole('link').getAttribute('href')).toContain('turn=1&token=252&view=tokens');
});

it('a gate is held and released behind a question that names the run, with the reason that was given', async () => {
  const { page, problems } = await browser.open(inject('exampleUrl'), '#/audits?run=files-events');
  await page.getByLabel('reason').fill('a template was changed');
  // What is open cannot be released.
  expect(await page.getByRole('button', { name: 'Release …' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Hold …' }).click();
  const question = page.getByRole('dialog', { name: 'Hold the gate of files-events?' });
  await question.getByRole('button', { name: 'Leave it as it is' }).click();
  expect(await page.getByRole('dialog').count()).toBe(0);

  await page.getByRole('button', { name: 'Hold …' }).click();
  expect(await question.textContent()).toContain('a template was changed');
  await question.getByRole('button', { name: 'Hold files-events' }).click();
  await page.getByText('The gate of files-events is on hold now; it was open.').waitFor();
  await page.locator('.gate-state .why').getByText('a template was changed').waitFor();
  expect(await page.locator('.gate-state').textContent()).toContain('set by a person');

  await page.getByRole('button', { name: 'Release …' }).click();
  await page.getByRole('button', { name: 'Release files-events' }).click();
  await page.getByText('The gate of files-events is open now; it was on hold.').waitFor();
  await page.locator('.gate-state').getByText('released by a person').waitFor();
  expect(problems).toEqual([]);
});

it('a run that nobody knows has no gate, and the page says what to do', async () => {
  const { page } = await browser.open(inject('exampleUrl'), '#/audits?run=nobody');
  expect(await page.locator('main').textContent()).toContain('so there is no gate: npx rollstream import PATH');
  expect(await page.getByRole('button', { name: 'Hold …' }).count()).toBe(0);
});
