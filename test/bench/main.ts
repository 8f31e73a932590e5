/** `npm run bench`, or `npm run bench -- NAME…`: figures beside yardsticks that were measured in the same run; `kafka` only by name. */
import { cpus } from 'node:os';
import type { Size } from './bench.ts';
import { BENCHES } from './benches.ts';
import { kafka } from './kafka.ts';
import { tableOf } from './table-of.ts';

const names = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const size: Size = process.argv.includes('--smoke') ? 'smoke' : 'full';
/** It needs Java and Maven. */
const known = [...BENCHES, kafka];
const unknown = names.filter((name) => !known.some((bench) => bench.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `there is no bench ${unknown.join(', ')}; known are ${known.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}
const all = cpus();
process.stdout.write(`${all[0]?.model.trim()}, ${all.length} cores, node ${process.version}, ${process.platform}\n\n`);
for (const bench of names.length > 0 ? known : BENCHES) {
  if (names.length > 0 && !names.includes(bench.name)) continue;
  process.stderr.write(`${bench.name} …\n`);
  process.stdout.write(tableOf(await bench.run(size)));
}
if (names.length === 0) process.stderr.write('skipped: kafka, which starts services: npm run bench -- kafka\n');
