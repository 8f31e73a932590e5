import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type StartedServer, startedServer } from '../../../bench/started-server.ts';
import { startRollstream } from '../../../e2e/rollstream.ts';
import { type OpenBrowser, openBrowser } from '../../open-browser.ts';

const TOKEN = 'a-token-of-some-length';

let folder = '';
let server: StartedServer;
let browser: OpenBrowser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-login-'));
  process.env.ROLLSTREAM_HTTP_TOKEN = TOKEN;
  const child = startRollstream('up', '--data', join(folder, 'data'), '--port', '0');
  delete process.env.ROLLSTREAM_HTTP_TOKEN;
  [server, browser] = await Promise.all([startedServer(child), openBrowser()]);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

it('a server with a token asks for it, says that another is wrong, and is used until one signs out', async () => {
  const { page, accessibilityFindings, settled, screenshot } = await browser.open(server.url, '#/failures');
  const field = page.getByLabel('token');
  await field.waitFor();
  expect(await field.getAttribute('type')).toBe('password');
  expect(await field.getAttribute('autocomplete')).toBe('current-password');
  expect(await accessibilityFindings()).toEqual([]);
  await screenshot('login');

  await field.fill(`${TOKEN}x`);
  await page.getByRole('button', { name: 'sign in' }).click();
  await page.getByText('This is not the token of this server.').waitFor();
  expect(await accessibilityFindings()).toEqual([]);

  await field.fill(TOKEN);
  await field.press('Enter');
  const signOut = page.getByRole('button', { name: 'sign out' });
  await signOut.waitFor();
  await settled();
  // Where one was going.
  expect(new URL(page.url()).hash).toBe('#/failures');
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
  expect(cookie?.value).not.toContain(TOKEN);
  expect(await page.evaluate('document.cookie')).toBe('');

  await signOut.click();
  await field.waitFor();
  expect(await page.context().cookies()).toEqual([]);
});
