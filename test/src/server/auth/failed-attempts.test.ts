import { expect, it } from 'vitest';
import { createFailedAttempts } from '../../../../src/server/auth/failed-attempts.ts';

const refusal = (seconds: number) =>
  expect.objectContaining({ code: 'RS_TOO_MANY_ATTEMPTS', status: 429, facts: { retry_after: seconds } });

function started(addresses = 100) {
  const clock = { ms: 1_000_000 };
  const failures = createFailedAttempts(() => clock.ms, { burst: 3, refillMs: 6_000, addresses });
  let guesses = 0;
  const fail = (address: string, times: number): void => {
    for (let n = 0; n < times; n++) failures.failed(address, `guess ${guesses++}`);
  };
  return { clock, failures, fail };
}

it('so many may be wrong at once, and then one more every six seconds', () => {
  const { clock, failures, fail } = started();
  fail('192.0.2.1', 2);
  expect(() => failures.check('192.0.2.1')).not.toThrow();
  fail('192.0.2.1', 1);
  expect(() => failures.check('192.0.2.1')).toThrow(refusal(6));
  clock.ms += 4_500;
  expect(() => failures.check('192.0.2.1')).toThrow(refusal(2));
  clock.ms += 1_500;
  expect(() => failures.check('192.0.2.1')).not.toThrow();
  fail('192.0.2.1', 1);
  expect(() => failures.check('192.0.2.1')).toThrow(refusal(6));
});

it('it is as full as at first after a while, and no fuller', () => {
  const { clock, failures, fail } = started();
  fail('192.0.2.1', 3);
  clock.ms += 3_600_000;
  fail('192.0.2.1', 2);
  expect(() => failures.check('192.0.2.1')).not.toThrow();
  fail('192.0.2.1', 1);
  expect(() => failures.check('192.0.2.1')).toThrow(refusal(6));
});

it('nobody pays for what came from another address', () => {
  const { failures, fail } = started();
  fail('192.0.2.1', 50);
  expect(() => failures.check('192.0.2.2')).not.toThrow();
});

it('the same again is no further guess', () => {
  const { failures } = started();
  for (let n = 0; n < 50; n++) {
    failures.failed('192.0.2.1', 'the token of last week');
    failures.failed('192.0.2.1', 'a cookie of last week');
  }
  expect(() => failures.check('192.0.2.1')).not.toThrow();
});

it('remembers only so many addresses: the one that failed longest ago goes first', () => {
  const { failures, fail } = started(2);
  fail('192.0.2.1', 3);
  fail('192.0.2.2', 3);
  fail('192.0.2.1', 1);
  fail('192.0.2.3', 3);
  expect(() => failures.check('192.0.2.1')).toThrow(refusal(6));
  expect(() => failures.check('192.0.2.2')).not.toThrow();
  expect(() => failures.check('192.0.2.3')).toThrow(refusal(6));
});
