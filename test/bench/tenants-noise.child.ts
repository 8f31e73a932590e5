import { setTimeout as sleep } from 'node:timers/promises';
import { rolloutLines } from './tenant-rollouts.ts';

/** A run that sends as much as it is let, from several processes at once, as recorders do: 429 is asked again after its Retry-After. */
const [, , url = '', workers = '8', perBody = '100'] = process.argv;
let [accepted, limited, others] = [0, 0, 0];
const isOver = false;

async function work(worker: number): Promise<void> {
  for (let n = 0; !isOver; n++) {
    const body = rolloutLines('noisy', `${worker}-${n}`, Number(perBody));
    for (let isAnswered = false; !isAnswered && !isOver; ) {
      const init = { method: 'POST', body, headers: { 'content-type': 'application/x-ndjson' } };
      const response = await fetch(`${url}/v1/steps`, init);
      const answer: { accepted: number } = JSON.parse(await response.text());
      isAnswered = response.ok;
      if (response.ok) accepted += answer.accepted;
      else if (response.status === 429) limited += 1;
      else others += 1;
      if (!response.ok) await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1));
    }
  }
}

process.once('SIGTERM', () => {
  process.stdout.write(JSON.stringify({ seconds: (performance.now() - began) / 1000, accepted, limited, others }));
  process.exit(0);
});
const began = performance.now();
process.stderr.write('it begins\n');
await Promise.all(Array.from({ length: Number(workers) }, (_, worker) => work(worker)));
