import { expect, it } from 'vitest';
import { startTypescript } from '../start-typescript.ts';

/** Fewer faults than `npm run chaos`, each time at other moments: the seed is printed where it fails. */
it('whatever is killed, stopped or gone for a while, each trajectory is ready once, as it was sent', async () => {
  const child = startTypescript('../chaos/chaos.ts', import.meta.url, ['--kills', '5', '--workers', '2']);
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(code, said).toBe(0);
}, 600_000);
