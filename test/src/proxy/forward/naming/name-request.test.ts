import { describe, expect, it } from 'vitest';
import { RollstreamError } from '../../../../../src/errors.ts';
import { nameRequest } from '../../../../../src/proxy/forward/naming/name-request.ts';

const CHAT = '/v1/chat/completions';

function named(url: string, headers: Record<string, string> = {}) {
  const raw = Object.entries(headers).flatMap(([name, value]) => [name, Buffer.from(value).toString('latin1')]);
  return nameRequest(url, raw);
}

/** The field that is refused, and why. */
function refusal(url: string, headers: Record<string, string> = {}): string {
  try {
    named(url, headers);
  } catch (error) {
    if (error instanceof RollstreamError && error.status === 400) return `${error.facts.field}; ${error.message}`;
    throw error;
  }
  return 'taken';
}

describe('a call is named', () => {
  it('by headers, in any case and in UTF-8', () => {
    const { named: by, target } = named(CHAT, {
      ...{
        'X-Rollstream-Run': 'rün 1',
        'x-rollstream-rollout': 'a/b',
        'x-rollstream-attempt': '2',
        'x-rollstream-group': 'g',
      },
      ...{
        'x-rollstream-group-size': '8',
        'x-rollstream-task': 't',
        'x-rollstream-env': 'e',
        'x-rollstream-epoch': '3',
      },
      ...{ 'x-rollstream-purpose': 'eval', authorization: 'Bearer x' },
    });
    expect(by).toEqual({
      ...{
        run: 'rün 1',
        rollout: 'a/b',
        attempt: 2,
        group: 'g',
        groupSize: 8,
        task: 't',
        env: 'e',
        epoch: 3,
        purpose: 'eval',
      },
    });
    expect(target).toBe(CHAT);
  });

  it('by what stands before the path, percent-encoded', () => {
    const { named: by, target, token } = named(`/k/s3cret/r/my%2Frun/task%201%40x@3${CHAT}?a=%2e%2e`);
    expect([by.run, by.rollout, by.attempt, target, token]).toEqual([
      'my/run',
      'task 1@x',
      3,
      `${CHAT}?a=%2e%2e`,
      's3cret',
    ]);
    expect(named('/r/run/rollout/generate').target).toBe('/generate');
    expect(named(CHAT).named.rollout).toBeNull();
    expect(named('/rr/x').target).toBe('/rr/x');
  });

  it('by both, where they say the same', () => {
    expect(named(`/r/a/b${CHAT}`, { 'x-rollstream-rollout': 'b', 'x-rollstream-task': 't' }).named).toMatchObject({
      ...{ run: 'a', rollout: 'b', task: 't' },
    });
    expect(refusal(`/r/a/b${CHAT}`, { 'x-rollstream-rollout': 'c' })).toMatch(/^x-rollstream-rollout; .*"b".*"c"/);
  });

  it('or refused, and the field is named: control characters, lengths, encodings, dots', () => {
    expect(refusal(`/r/a/b%0Ac${CHAT}`)).toMatch(/^path: the rollout; .*U\+000A/);
    expect(refusal(CHAT, { 'x-rollstream-run': 'a\tb' })).toMatch(/^x-rollstream-run; .*U\+0009/);
    expect(refusal(CHAT, { 'x-rollstream-run': 'a\u2028b' })).toMatch(/^x-rollstream-run; .*U\+2028/);
    expect(refusal(`/r/a/${'x'.repeat(513)}${CHAT}`)).toMatch(/^path: the rollout; .*513 bytes/);
    expect(refusal(`/r/a/${'x'.repeat(512)}${CHAT}`)).toBe('taken');
    expect(refusal(`/r/a/%zz${CHAT}`)).toMatch(/^path; .*percent-encoded/);
    expect(refusal(`/r/a/%ff${CHAT}`)).toMatch(/^path; .*percent-encoded/);
    expect(refusal(`/r/a/%2e%2e${CHAT}`)).toMatch(/^path; .*may not be \.\./);
    expect(refusal('http://engine/v1/models')).toMatch(/^path; .*a base URL, not an HTTP proxy/);
    expect(refusal('/r/a')).toMatch(/^path; .*expected \/r/);
    expect(refusal(`/r//b${CHAT}`)).toMatch(/^path: the run; .*empty/);
    expect(refusal(`/r/a/b@x${CHAT}`)).toMatch(/^path: the attempt; .*whole number/);
  });

  it('or refused where a header says what cannot be, or what nobody knows', () => {
    expect(refusal(CHAT, { 'x-rollstream-rolout': 'x' })).toMatch(/^x-rollstream-rolout; .*no such header/);
    expect(refusal(CHAT, { 'x-rollstream-run': '' })).toMatch(/^x-rollstream-run; .*empty/);
    expect(refusal(CHAT, { 'x-rollstream-attempt': '1' })).toMatch(/^x-rollstream-attempt; .*which rollout/);
    expect(refusal(CHAT, { 'x-rollstream-group-size': '4' })).toMatch(/^x-rollstream-group-size; .*which group/);
    expect(refusal(CHAT, { 'x-rollstream-group': 'g', 'x-rollstream-group-size': '0' })).toMatch(/from 1 on/);
    expect(refusal(CHAT, { 'x-rollstream-purpose': 'fun' })).toMatch(
      /^x-rollstream-purpose; .*train, eval or synthesis/,
    );
    expect(refusal(CHAT, { 'x-rollstream-epoch': '1e3' })).toMatch(/^x-rollstream-epoch/);
  });
});
