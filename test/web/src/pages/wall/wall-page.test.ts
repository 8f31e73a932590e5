import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { packageFile } from '../../../../../src/config/package-file.ts';
import { type OpenBrowser, openBrowser } from '../../../open-browser.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

interface Event {
  readonly rollout_id: string;
  readonly kind: string;
  readonly started_at: number;
  readonly ended_at: number;
}

/** Of files-events, times in µs. */
function eventsOf(rolloutId: string): Event[] {
  const lines = readFileSync(packageFile('examples/rollouts/files-events/steps.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line): Event => JSON.parse(line)).filter(({ rollout_id }) => rollout_id === rolloutId);
}

it('the slowest rollout comes first and goes onto the clock, a bar for each of its events', async () => {
  const { page, problems, settled, accessibilityFindings, screenshot } = await browser.open(
    inject('exampleUrl'),
    '#/wall?run=files-events',
  );
  // Its read takes 383 s and a rate limit 213.5 s of 601 s.
  expect(await page.locator('.blocks').textContent()).toBe(
    'file-desk: Rollouts spend 59 % of their wall clock on tools.',
  );
  const slowest = page.getByRole('region', { name: 'By wall clock, start to end' }).getByRole('row');
  expect(await slowest.nth(1).getByRole('cell').allInnerTexts()).toEqual([
    ...['release-notes_3', 'file-desk', 'wall_clock', '10 min'],
    expect.stringMatching(/^\s*tool_wait 64 %$/),
  ]);
  await page.getByRole('link', { name: 'release-notes_3' }).first().click();
  await settled();

  const events = eventsOf('release-notes_3');
  const bars = page.locator('.gantt .bar');
  await expect
    .poll(() => bars.count(), { timeout: 30_000 })
    .toBe(events.filter(({ kind }) => kind !== 'start' && kind !== 'end').length);
  const [read] = events.filter(({ kind }) => kind === 'tool_result');
  expect((read?.ended_at ?? 0) - (read?.started_at ?? 0)).toBe(383_000_000);
  const bar = page.getByRole('button', { name: /^tool result read_file, call 0, 6\.4 min from 2\.58 s on/ });
  await bar.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('6.4 min from').waitFor();
  expect(await page.getByRole('status').getByRole('link').getAttribute('href')).toBe(
    '#/rollout?run=files-events&id=release-notes_3&attempt=0&turn=0',
  );
  // Short events are seen when each step is as wide, and the link keeps what is looked at.
  await page.getByRole('button', { name: 'each step as wide' }).click();
  await page.waitForURL(/rollout=release-notes_3.*scale=even/);
  await expect.poll(() => widthOf(bar), { timeout: 30_000 }).toBeLessThan(200);
  expect(await accessibilityFindings()).toEqual([]);
  await screenshot('wall-gantt');
  expect(problems).toEqual([]);
});

it('stages that nobody has measured are not listed, and a source without times has no bars', async () => {
  const { page } = await browser.open(
    inject('exampleUrl'),
    '#/wall?run=calculator-strands&rollout=invoice-1042_0&by=p50',
  );
  const text = await page.locator('main').textContent();
  expect(text).toContain('Its source gives no times');
  expect(text).toContain('No trainer has taken a lease yet');
  expect(text).not.toContain('ready until trained');
  expect(await page.locator('.error').count()).toBe(0);
});

async function widthOf(bar: { boundingBox(): Promise<{ width: number } | null> }): Promise<number> {
  return (await bar.boundingBox())?.width ?? 0;
}
