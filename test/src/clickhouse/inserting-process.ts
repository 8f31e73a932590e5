import { openEmbeddedStore } from '../../../src/clickhouse/client.ts';
import { encodeSteps } from '../../../src/clickhouse/tables/steps.ts';
import { sampleStep } from './tables/sample-rows.ts';

/** Inserts hundreds of steps, saying after each how many hundreds are acknowledged. To be killed. */
const [folder = '', rounds = '0'] = process.argv.slice(2);
const store = await openEmbeddedStore({ folder });
await store.migrate();
for (let round = 0; round < Number(rounds); round++) {
  const rows = Array.from({ length: 100 }, (_, index) => sampleStep(round * 100 + index, { seq: round * 100 + index }));
  await store.insert(encodeSteps(rows, { topic: 't', term: 1 }));
  process.stdout.write(`${round + 1}\n`);
}
await new Promise(() => setInterval(() => {}, 1_000));
