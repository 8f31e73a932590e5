import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';

/** Fewer kills and events than `npm run kill9`, each time at other moments: the seed is printed where it fails. */
it('an import killed with -9 at three random moments loses nothing and repeats nothing', async () => {
  const loader = new URL('../run-typescript.mjs', import.meta.url).href;
  const script = fileURLToPath(new URL('./kill9.ts', import.meta.url));
  const args = ['--import', loader, script, '--kills', '3', '--events', '5000'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => {
    child.kill('SIGTERM');
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code, said).toBe(0);
}, 900_000);
