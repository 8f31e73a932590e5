import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser that the page is tested in: CHROMIUM_PATH, else one of the system. In CI there has to be one. */
export function findChromium(): string | null {
  const named = process.env.CHROMIUM_PATH;
  const found = named ?? PLACES.find((path) => existsSync(path)) ?? null;
  if (found !== null && existsSync(found)) return found;
  if (process.env.CI !== undefined) throw new Error('there is no Chromium: apt-get install chromium, or CHROMIUM_PATH');
  process.stderr.write(
    'skipped: the tests of the web page, since there is no Chromium (apt-get install chromium, or CHROMIUM_PATH)\n',
  );
  return null;
}
