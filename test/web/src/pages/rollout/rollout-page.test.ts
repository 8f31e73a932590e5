import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findChromium } from '../../../find-chromium.ts';
import { type OpenBrowser, type OpenTab, openBrowser } from '../../../open-browser.ts';
import { sendRollout } from './sent-rollout.ts';

const url = inject('exampleUrl');

describe.runIf(findChromium() !== null)('the page of a rollout', () => {
  let browser: OpenBrowser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  const opened = async (query: string, theme: 'light' | 'dark' = 'light'): Promise<OpenTab> => {
    const tab = await browser.open(url, `#/rollout?${query}`, { theme });
    await tab.page.locator('h1').waitFor();
    return tab;
  };
  const glance = (tab: OpenTab) => tab.page.getByLabel('at a glance').textContent();

  it('lists what does not train before what does, and finds a rollout by a part of its id', async () => {
    const file = new URL('../../../../../examples/rollouts/files-events/expected.json', import.meta.url);
    const { rollouts }: { rollouts: Array<{ disposition: string }> } = JSON.parse(readFileSync(file, 'utf8'));
    const isKept = (word: string): boolean => /^(?:train|penalise|superseded)$/.test(word);
    const left = rollouts.filter(({ disposition }) => !isKept(disposition)).length;
    const { page, problems } = await opened('run=files-events');
    const became = page.locator('tbody tr td:nth-child(3)');
    await expect.poll(() => became.count()).toBe(rollouts.length);
    const words = await became.allTextContents();
    expect(words.slice(0, left).filter(isKept)).toEqual([]);
    expect(words.slice(left).filter((word) => !isKept(word))).toEqual([]);
    await page.goto(`${url}/#/rollout`);
    await page.getByLabel('id or task').fill('042_4');
    await page.getByRole('button', { name: 'search' }).click();
    await page.getByRole('link', { name: 'invoice-1042_4' }).click();
    await page.getByRole('heading', { name: 'invoice-1042_4', level: 1 }).waitFor();
    expect(problems).toEqual([]);
  });

  // results.jsonl:5: 225 tokens of prompt; of the completion <tool_call> (151657) is the 13th token, </tool_call> the last but one.
  it('says of a call that was silently repaired what the model wrote, what ran, and in which tokens', async () => {
    const tab = await opened('run=calculator-strands&id=invoice-1042_4', 'dark');
    await expect.poll(() => glance(tab)).toContain('silent_repair) · tokens 237–277 of segment main · turn 0');
    const finding = tab.page.getByLabel('finding silent_repair');
    expect(await finding.textContent()).toContain('"0.9 * (3 * 189.90 + 2 * 74.50)"\n</tool_call>');
    expect(await finding.textContent()).toContain('{"expression":"0.9 * (3 * 189.90 + 2 * 74.50)"}');
    expect(await finding.textContent()).toContain('was read by the parser, and called');
    expect(await tab.page.locator('.arguments').first().textContent()).toContain('in the raw text above');
    expect(await glance(tab)).toMatch(/none that counts\s*strands-env: scored, reward 1 \(late\)/);
    expect(await tab.accessibilityFindings()).toEqual([]);
    await tab.screenshot('rollout-story-dark');
    expect(tab.problems).toEqual([]);
  });

  it('pins a prompt that holds other tokens than were sampled, in the segment that was sampled and in the new one', async () => {
    const tab = await opened('run=kv-nemo&id=kv_store_agent%2F1%2F1');
    const { page } = tab;
    await expect.poll(() => page.getByLabel('finding pipeline_drift').textContent()).toContain('AVING');
    await page.getByLabel('where to look').getByRole('link', { name: 'tokens 252–253 of segment main' }).click();
    const panel = page.getByLabel('the token', { exact: true });
    await expect.poll(() => panel.textContent()).toContain('token 252, id 39');
    expect(await panel.textContent()).toContain('pipeline_drift');
    await page.keyboard.press('n');
    await expect.poll(() => panel.textContent()).toContain('token 252, id 72239');
    expect(await panel.textContent()).toContain('main~1');
    expect(await page.locator('.line-segment').last().textContent()).toContain('derived from main at token 252');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => panel.textContent()).toContain('token 253, id 1718');
    await expect.poll(() => page.url()).toContain('token=253');
    await page.keyboard.press('p');
    await page.keyboard.press('[');
    await page.keyboard.press('[');
    await expect.poll(() => panel.textContent()).toContain('token 247');
    await page.keyboard.press('g');
    await page.keyboard.type('main~1 386');
    await page.keyboard.press('Enter');
    await expect.poll(() => panel.textContent()).toContain('token 386');
    expect(await tab.accessibilityFindings()).toEqual([]);
    await tab.screenshot('rollout-tokens');
    expect(tab.problems).toEqual([]);
  });

  // release-notes_0 has 418 tokens; retries of kv_store_agent/0/4: attempt 0 crashed, attempt 1 trains.
  it('shows the token that a link names, under the keys at once, and the cursor stays what the panel tells of', async () => {
    const tab = await opened('run=files-events&id=release-notes_0');
    const { page } = tab;
    await page.getByRole('link', { name: 'token 417 of segment main' }).first().click();
    const cursor = page.locator('.token.cursor');
    await expect
      .poll(async () => {
        const box = await cursor.boundingBox();
        return box !== null && box.y > 50 && box.y + box.height <= 900;
      })
      .toBe(true);
    await page.keyboard.press('ArrowLeft');
    const panel = page.getByLabel('the token', { exact: true });
    await expect.poll(() => panel.textContent()).toContain('token 416');
    await page.locator('#token-417').hover();
    await expect.poll(() => page.locator('.pointed').textContent()).toContain('under the pointer: token 417 of main');
    expect(await panel.textContent()).toContain('token 416');
    await page.keyboard.press('g');
    await page.keyboard.type('9999');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.url()).toContain('token=416');
    await page.getByText('There is no token 9999 in segment main, whose last is 417.').waitFor();
    await page.goto(`${url}/#/rollout?run=files-events&id=release-notes_0&attempt=7&view=tokens&token=418`);
    await page.getByText('It has no attempt 7: attempt 0, its newest, is shown.').waitFor();
    await page.getByText('There is no token 418 in segment main, whose last is 417.').waitFor();
    expect(await tab.accessibilityFindings()).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('opens the attempt that was listed, the first too, and leaves it when another run is picked', async () => {
    const tab = await opened('run=kv-nemo&became=retry');
    const { page } = tab;
    await page.getByRole('link', { name: 'kv_store_agent/0/4', exact: true }).click();
    const current = page.locator('.attempts [aria-current]');
    await expect.poll(() => current.textContent()).toBe('attempt 0 (retry)');
    await page.locator('.run select').selectOption('files-events');
    await page.getByRole('heading', { name: 'Rollouts', level: 1 }).waitFor();
    expect(page.url()).toContain('run=files-events');
    await page.goto(`${url}/#/rollout?run=files-events&id=release-notes_4`);
    await expect.poll(() => page.getByLabel('where to look').textContent()).toContain('(history_rewritten)');
    expect(tab.problems).toEqual([]);
  });

  it('keeps three facts apart where they contradict each other, and explains as the command does', async () => {
    const tab = await opened('run=files-events&id=release-notes_0');
    await expect
      .poll(() => glance(tab))
      .toContain('the engine aborted turn 2 after 13 tokens (abort) · token 417 of segment main');
    expect(await tab.page.title()).toBe('release-notes_0 · Rollout · files-events · rollstream');
    const facts = await tab.page.locator('.facts .tile').allTextContents();
    expect(facts[0]).toContain('strands-env said "task_complete"');
    expect(facts[1]).toContain('Abort in update_weights');
    expect(facts[2]).toContain('file-check 1.2.0: scored, correct 1 (late)');
    await tab.page.keyboard.press('3');
    const told = await tab.page.getByLabel('facts and decision').textContent();
    expect(told).toContain('finish_reason of the last call: {"type":"abort"');
    expect(await tab.page.getByLabel('the policy that fired').textContent()).toContain('categories.unknown');
    expect(await tab.accessibilityFindings()).toEqual([]);
    expect(tab.problems).toEqual([]);
  });

  it('shows where two attempts part, and what was decided otherwise', async () => {
    const tab = await opened('run=kv-nemo&id=kv_store_agent%2F0%2F4&attempt=1&view=diff');
    const differs = tab.page.getByLabel('decisions that differ');
    await expect.poll(() => differs.textContent()).toContain('env_crash');
    expect(await differs.textContent()).toMatch(/disposition\s*train\s*retry/);
    expect(await tab.page.getByLabel('where the tokens part').textContent()).toMatch(
      /the first \d+ tokens are the same; they part at token \d+/,
    );
    expect(tab.problems).toEqual([]);
  });

  it('draws a hostile rollout as text: nothing of it runs, is fetched or reorders, and 5 MB are folded', async () => {
    const hostile = [
      '<script>alert(1)</script></script><svg onload=alert(2)><img src=x onerror=alert(3)>',
      '![i](https://example.invalid/a.png) [l](javascript:alert(4)) \u202eabc\u2066 \u001b[31mred\u0007',
    ].join('\n');
    const call = {
      call_id: 'c',
      name: hostile,
      arguments_raw: hostile,
      arguments_parsed: JSON.stringify({ [hostile]: hostile }),
    };
    const model_call = {
      ...{
        call_id: 'a',
        model: hostile,
        replica: hostile,
        prompt_prefix_len: 0,
        prompt_delta_ids: [1, 2],
        completion_ids: [3],
      },
      ...{ completion_logprobs: [-1], raw_text: hostile, finish_reason: hostile },
      tool_calls: [{ ...call, char_start: 0, char_end: 8, parse_status: 'ok', parser: hostile }],
    };
    const tool_result = {
      ...{ call_id: 'c', turn: 0, name: hostile, executed_arguments: '{"other":"1"}', status: 'tool_error' },
      ...{ output: `${hostile}${'y'.repeat(5_000_000)}z`, error: { type: hostile, message: hostile } },
    };
    const rollout = '<img src=x onerror=alert(5)>';
    await sendRollout({
      ...{ url, run: 'page-hostile', rollout },
      steps: [
        { kind: 'start', start: { prompt: hostile } },
        { kind: 'model_call', model_call },
        { kind: 'tool_result', tool_result },
      ],
    });
    const tab = await opened(new URLSearchParams({ run: 'page-hostile', id: rollout }).toString());
    const { page } = tab;
    expect(
      await page
        .locator('main')
        .locator('script, svg, img, iframe, a[href^="javascript"], a[href*="example.invalid"]')
        .count(),
    ).toBe(0);
    const text = (await page.locator('main').textContent()) ?? '';
    expect(text).toContain('<script>alert(1)</script>');
    expect(text).toContain('![i](https://example.invalid/a.png)');
    expect(text).toContain('U+202EabcU+2066 ESC[31mredU+0007');
    expect(text).not.toMatch(/(?![\t\n])[\p{Cc}\p{Cf}]/u);
    expect(text.length).toBeLessThan(60_000);
    await page.getByRole('button', { name: 'show all (5.0 MB)' }).click();
    // Parts are drawn as they come into view, and each moves the end further down.
    const last = page.getByLabel('what the tool answered to c').locator('.text-chunk').last();
    await expect
      .poll(async () => {
        await last.evaluate((part) => part.scrollIntoView({ block: 'end' }));
        return ((await last.textContent()) ?? '').slice(-2);
      })
      .toBe('yz');
    await page.keyboard.press('2');
    await page.getByLabel('the token', { exact: true }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('scrolls through 200,000 tokens with fewer than 3,000 elements', async () => {
    const half = Array.from({ length: 100_000 }, (_, at) => 1_000 + ((at * 7) % 5_000));
    const model_call = {
      ...{
        call_id: 'a',
        prompt_prefix_len: 0,
        prompt_delta_ids: half,
        completion_ids: half,
        finish_reason: 'stop',
        tool_calls: [],
      },
      completion_logprobs: half.map((_, at) => -(at % 50) / 10),
    };
    await sendRollout({
      url,
      run: 'page-long',
      rollout: 'long',
      steps: [
        { kind: 'start', start: { prompt: 'count' } },
        { kind: 'model_call', model_call },
      ],
    });
    const tab = await opened('run=page-long&id=long&view=tokens');
    const { page } = tab;
    const grid = page.locator('.token-grid');
    await grid.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await page.locator('#token-199999').waitFor();
    // Element 99,999 of either half is 1000 + (99,999 · 7 mod 5,000).
    expect(await page.locator('#token-199999').textContent()).toContain('5993');
    expect(await page.locator('*').count()).toBeLessThan(3_000);
    await grid.evaluate((box) => box.scrollTo(0, box.scrollHeight / 2));
    await expect.poll(() => page.locator('#token-199999').count()).toBe(0);
    expect(await page.locator('*').count()).toBeLessThan(3_000);
    expect(tab.problems).toEqual([]);
  });
});
