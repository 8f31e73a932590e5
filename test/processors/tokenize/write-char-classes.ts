/** Writes the data of processors/tokenize/char-class-runs.ts anew, from the library that is installed. */
import { writeFileSync } from 'node:fs';
import { libraryCharClasses } from './library-char-classes.ts';

const classes = libraryCharClasses();
const lines = [''];
for (let from = 0; from < classes.length; ) {
  let to = from;
  while (to < classes.length && classes[to] === classes[from]) to += 1;
  const run = (to - from).toString(36) + String.fromCharCode(65 + (classes[from] ?? 0));
  if ((lines.at(-1)?.length ?? 0) + run.length > 110) lines.push('');
  lines[lines.length - 1] += run;
  from = to;
}
const target = new URL('../../../processors/tokenize/char-class-runs.ts', import.meta.url);
writeFileSync(
  target,
  `/** Generated from the library: see char-classes.ts. A run is its length in base 36, then its class as a letter from A on. */
export const CHAR_CLASS_RUNS = \`
${lines.join('\n')}
\`;
`,
);
