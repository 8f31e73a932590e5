import { expect, it } from 'vitest';
import { createCallsInFlight } from '../../../../src/proxy/forward/calls-in-flight.ts';
import type { NamedBy } from '../../../../src/proxy/journal/call-head.ts';

const HOUR_MS = 3_600_000;

function named(rollout: string, run: string | null = null): NamedBy {
  const rest = { attempt: null, group: null, groupSize: null, task: null, env: null, epoch: null, purpose: null };
  return { run, rollout, ...rest };
}

it('who says that a rollout is over is heard behind its calls, all of them', async () => {
  const calls = createCallsInFlight('math');
  const ends = [calls.began(named('a')), calls.began(named('a', 'math'))];
  const said: string[] = [];
  const over = calls.over(named('a'), HOUR_MS).then(() => said.push('rollout'));
  for (const end of ends) {
    await Promise.resolve();
    said.push('call');
    end();
  }
  await over;
  expect(said).toEqual(['call', 'call', 'rollout']);
});

it('calls of others are waited for by nobody: another rollout, another run, none that is left', async () => {
  const calls = createCallsInFlight('math');
  calls.began(named('b'));
  calls.began(named('a', 'code'));
  calls.began(named('a'))();
  await calls.over(named('a'), HOUR_MS);
});

it('a call that goes on is not waited for beyond the time', async () => {
  const calls = createCallsInFlight('math');
  calls.began(named('a'));
  await calls.over(named('a'), 1);
});
