import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generateExamples } from './generate.ts';
import { generateRescore } from './rescore.ts';

/** Writes the example rollouts into a folder; the expected outcomes beside those of `rollouts` are written by hand and stay. */
const folder = process.argv[2] ?? 'examples';
const made = [
  ['rollouts', await generateExamples()],
  ['rescore', await generateRescore()],
] as const;
for (const [part, files] of made)
  for (const [path, content] of files) {
    const target = join(folder, part, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
    process.stderr.write(`${target}: ${Buffer.byteLength(content)} bytes\n`);
  }
