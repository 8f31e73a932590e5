import { expect, it } from 'vitest';
import type { RolloutKey } from '../../../../src/ingest/http/find-rollouts.ts';
import type { ReadStep } from '../../../../src/ingest/http/read-step.ts';
import { readVerdicts } from '../../../../src/ingest/http/read-verdicts.ts';
import { createOpenStepEncoder } from '../../../../src/ingest/http/step-encoder.ts';
import { readLines } from '../../../../src/ingest/line-reader.ts';
import { linesOf } from './ingest-server.ts';

const encoder = await createOpenStepEncoder({ register: async () => 7 })();

/** Of a sender whose only run is `mine`. */
async function readOf(...verdicts: object[]) {
  const asked: RolloutKey[] = [];
  let waits = 0;
  const read: ReadStep[] = [];
  const lines = readLines(once(linesOf(verdicts)));
  const findRollouts = async (keys: readonly RolloutKey[]) => {
    asked.push(...keys);
    return new Map();
  };
  const caughtUp = async () => {
    waits += 1;
    return true;
  };
  const isTaken = (run: string): boolean => run === 'mine';
  for await (const step of readVerdicts(lines, { encoder, findRollouts, caughtUp, isTaken })) read.push(step);
  return { asked: asked.map(({ run_id, rollout_id }) => `${run_id}/${rollout_id}`), waits, read };
}

async function* once(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

const verdict = (run_id: string, rollout_id: string) => ({ run_id, rollout_id, scorer: 's', reward: 1 });

it('of a run that the sender may not write to nothing is looked up, and no lane is made to flush', async () => {
  const foreign = await readOf(verdict('theirs', 'r0'), verdict('theirs', 'r1'));
  expect(foreign).toMatchObject({ asked: [], waits: 0, read: [{ run: 'theirs' }, { run: 'theirs' }] });
  const mixed = await readOf(verdict('theirs', 'r0'), verdict('mine', 'r1'));
  expect(mixed).toMatchObject({ asked: ['mine/r1'], waits: 1, read: [{ run: 'theirs' }, { run: 'mine' }] });
});
