import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ProducerChaosResult, runProducerChaos } from '../chaos/producers/run-producer-chaos.ts';

/**
 * A short version of test/chaos/producer-chaos.ts, each time with another seed, which is printed where it fails. New ids at a second
 * sending show only where it falls into an open unit, which so short a run does not always have: that is the long one's.
 */
const seed = String(Date.now());
let folder = '';
let result: ProducerChaosResult;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-producer-outage-'));
  const recorders = { producers: 1, python: null };
  result = await runProducerChaos({
    ...{ folder, seed, seconds: 0, outageS: 1, pauseMs: 20, say: () => undefined },
    runs: [
      { ...recorders, name: 'recorder', naive: null },
      { ...recorders, name: 'answers-early', naive: 'answers_early' },
    ],
  });
}, 240_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

it('a server and a producer that are killed, and return: nothing is lost, nothing is there twice', () => {
  expect(result.wrong.get('recorder'), `seed ${seed}`).toEqual([]);
});

it('a recorder that forgets before it is answered is caught', () => {
  expect(result.wrong.get('answers-early')?.join('\n'), `seed ${seed}`).toMatch(/is not there/);
});
