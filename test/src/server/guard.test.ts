import { expect, it } from 'vitest';
import { createGuard } from '../../../src/server/guard.ts';

const TOKEN = 'a-token-of-some-length';
const refusal = expect.objectContaining({ code: 'RS_UNAUTHORIZED', status: 401 });

it('on loopback answers to names of loopback only, so that no foreign name can be rebound to it', () => {
  const guard = createGuard({ host: '127.0.0.1', token: null });
  for (const host of ['127.0.0.1:8080', 'localhost:8080', 'localhost', '[::1]:8080', '127.9.9.9']) {
    expect(() => guard.checkHost(host), host).not.toThrow();
  }
  for (const host of [
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '',
    undefined,
  ]) {
    expect(() => guard.checkHost(host), host).toThrow(refusal);
  }
});

it('elsewhere answers to any name, since it has a token', () => {
  expect(() => createGuard({ host: '0.0.0.0', token: TOKEN }).checkHost('rollstream.internal')).not.toThrow();
});

it('refuses pages of another origin, also from the same machine', () => {
  const guard = createGuard({ host: '127.0.0.1', token: null });
  expect(() => guard.checkOrigin(undefined, 'localhost:8080')).not.toThrow();
  expect(() => guard.checkOrigin('http://localhost:8080', 'localhost:8080')).not.toThrow();
  for (const origin of ['http://evil.example', 'http://localhost:3000', 'null']) {
    expect(() => guard.checkOrigin(origin, 'localhost:8080'), origin).toThrow(refusal);
  }
});

it('asks for exactly the token, when one is set', () => {
  const guard = createGuard({ host: '127.0.0.1', token: TOKEN });
  expect(() => guard.checkToken(`Bearer ${TOKEN}`)).not.toThrow();
  for (const header of [
    undefined,
    '',
    TOKEN,
    'Bearer',
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Basic ${TOKEN}`,
  ]) {
    expect(() => guard.checkToken(header), header).toThrow(refusal);
  }
  expect(() => createGuard({ host: '127.0.0.1', token: null }).checkToken(undefined)).not.toThrow();
});
