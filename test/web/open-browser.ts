import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, chromium, type Page } from 'playwright-core';
import { findChromium } from './find-chromium.ts';

/** A browser of a test file. */
export interface OpenBrowser {
  /** A tab at a place of the page (`#/failures?run=math`), when it has drawn. */
  open(
    url: string,
    hash?: string,
    how?: { readonly theme?: 'light' | 'dark'; readonly width?: number },
  ): Promise<OpenTab>;
  close(): Promise<void>;
}

export interface OpenTab {
  readonly page: Page;
  /** What no visit may cause: errors, refused content, requests to anywhere else. Empty, or a test fails. */
  readonly problems: readonly string[];
  /** When nothing loads any more. */
  settled(): Promise<void>;
  /** Serious and critical findings of axe, each with where. */
  accessibilityFindings(): Promise<string[]>;
  /** Into the folder SCREENSHOTS names; without it none is taken. */
  screenshot(name: string): Promise<void>;
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export async function openBrowser(): Promise<OpenBrowser> {
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('there is no Chromium');
  // Containers have neither a sandbox for root nor a large /dev/shm.
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  return {
    open: (url, hash = '', how = {}) => openTab(browser, url, hash, how),
    close: () => browser.close(),
  };
}

async function openTab(
  browser: Browser,
  url: string,
  hash: string,
  { theme = 'light', width = 1400 }: { readonly theme?: 'light' | 'dark'; readonly width?: number },
): Promise<OpenTab> {
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url && !/^(?:data|blob):/.test(request.url()))
      problems.push(`request to ${request.url()}`);
  });
  page.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(`${url}/${hash}`);
  await page.locator('main').waitFor();
  // Not by a function: the page's policy would refuse to evaluate it.
  const settled = () => page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  await settled();
  return {
    page,
    problems,
    settled,
    accessibilityFindings: () => accessibilityFindings(page),
    async screenshot(name) {
      const folder = process.env.SCREENSHOTS;
      if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
    },
  };
}

interface AxeResult {
  readonly violations: ReadonlyArray<{
    readonly id: string;
    readonly impact: string;
    readonly nodes: ReadonlyArray<{ readonly target: readonly string[]; readonly failureSummary: string }>;
  }>;
}

/** Evaluated by the debugger, which the page's policy does not bind. */
async function accessibilityFindings(page: Page): Promise<string[]> {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const { violations } = await page.evaluate<AxeResult>('axe.run(document, { resultTypes: ["violations"] })');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target.join(' ')}: ${failureSummary}`),
    );
}
