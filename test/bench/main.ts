/** `npm run bench`, or `npm run bench -- NAME…`: figures beside yardsticks that were measured in the same run. */
import { cpus } from 'node:os';
import type { Size } from './bench.ts';
import { BENCHES } from './benches.ts';
import { tableOf } from './table-of.ts';

const names = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const size: Size = process.argv.includes('--smoke') ? 'smoke' : 'full';
const unknown = names.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `there is no bench ${unknown.join(', ')}; known are ${BENCHES.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}
const all = cpus();
process.stdout.write(`${all[0]?.model.trim()}, ${all.length} cores, node ${process.version}, ${process.platform}\n\n`);
for (const bench of BENCHES) {
  if (names.length > 0 && !names.includes(bench.name)) continue;
  process.stderr.write(`${bench.name} …\n`);
  process.stdout.write(tableOf(await bench.run(size)));
}
