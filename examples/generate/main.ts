import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { generateExamples } from './generate.ts';
import { generateRescore } from './rescore.ts';
import { generateVocabulary } from './vocabulary.ts';

/** Writes the example rollouts into a folder; the expected outcomes beside those of `rollouts` are written by hand and stay. */
const folder = process.argv[2] ?? 'examples';
const rollouts = await generateExamples();
const made = [
  ['rollouts', rollouts],
  ['rescore', await generateRescore()],
  ['', new Map([['vocabulary.json', generateVocabulary(rollouts)]])],
] as const;
for (const [part, files] of made)
  for (const [path, content] of files) {
    const target = join(folder, part, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
    process.stderr.write(`${target}: ${Buffer.byteLength(content)} bytes\n`);
  }
