import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generateExamples } from './generate.ts';

/** Writes the example rollouts into a folder; the expected outcomes beside them are written by hand and stay. */
const folder = process.argv[2] ?? join('examples', 'rollouts');
for (const [path, content] of await generateExamples()) {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, content);
  process.stderr.write(`${target}: ${Buffer.byteLength(content)} bytes\n`);
}
