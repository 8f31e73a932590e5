import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { packageFile } from '../../src/config/package-file.ts';
import { startTypescript } from '../start-typescript.ts';
import { findChromium } from '../web/find-chromium.ts';
import type { Figure } from './bench.ts';
import { spreadOf } from './spread.ts';
import { startedServer } from './started-server.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const ROUNDS = 7;

/** How long the page takes in a browser on this machine, on the example rollouts and on a data folder; and what is sent of it. */
export async function pageTimes(data: string, run: string): Promise<Figure[]> {
  const executablePath = findChromium();
  if (executablePath === null) return [];
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const examples = await inTemporaryFolder((folder) =>
      timesOf(browser, ['--example', '--data', folder], 'math', 'the examples'),
    );
    return [scriptFigure(), ...examples, ...(await timesOf(browser, ['--data', data], run, run))];
  } finally {
    await browser.close();
  }
}

/** Each round is a browser that has seen nothing. `first data`: the first number of the page that opens first. */
async function timesOf(browser: Browser, flags: readonly string[], run: string, of: string): Promise<Figure[]> {
  const child = startTypescript('../../src/cli/main.ts', import.meta.url, ['up', ...flags, '--port', '0']);
  const server = await startedServer(child);
  const interactive: number[] = [];
  const firstData: number[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const context = await browser.newContext();
      const page = await context.newPage();
      const began = performance.now();
      await page.goto(`${server.url}/#/flow?run=${run}`, { waitUntil: 'commit' });
      await page.locator('nav a[aria-current=page]').waitFor();
      const drawn = performance.now() - began;
      await page.locator('.tile').first().waitFor({ timeout: 120_000 });
      const told = performance.now() - began;
      await context.close();
      // The first round warms the server.
      if (round === 0) continue;
      interactive.push(drawn);
      firstData.push(told);
    }
  } finally {
    await server.stop();
  }
  return [figure(`page: interactive, ${of}`, interactive, 1_000), figure(`page: first data, ${of}`, firstData, 500)];
}

function figure(name: string, times: readonly number[], mostMs: number): Figure {
  const value = spreadOf(times);
  return { name, value, unit: 'ms', target: { text: `≤ ${mostMs} ms`, met: value.median <= mostMs } };
}

function scriptFigure(): Figure {
  const folder = packageFile('dist', 'web', 'assets');
  const scripts = readdirSync(folder).filter((name) => extname(name) === '.js');
  const bytes = scripts.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
  const value = spreadOf([bytes / 1000]);
  return { name: 'page: script, gzipped', value, unit: 'KB', target: { text: '< 400 KB', met: bytes < 400_000 } };
}
