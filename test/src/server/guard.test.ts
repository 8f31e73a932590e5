import { expect, it } from 'vitest';
import { createGuard } from '../../../src/server/guard.ts';

const refusal = expect.objectContaining({ code: 'RS_UNAUTHORIZED', status: 401 });

it('on loopback answers to names of loopback only, so that no foreign name can be rebound to it', () => {
  const guard = createGuard({ host: '127.0.0.1' });
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
  expect(() => createGuard({ host: '0.0.0.0' }).checkHost('rollstream.internal')).not.toThrow();
});

const none = { origin: undefined, site: undefined, mode: undefined };

it('refuses pages of another origin, also from the same machine', () => {
  const guard = createGuard({ host: '127.0.0.1' });
  expect(() => guard.checkOrigin(none, 'localhost:8080')).not.toThrow();
  expect(() => guard.checkOrigin({ ...none, origin: 'http://localhost:8080' }, 'localhost:8080')).not.toThrow();
  for (const origin of ['http://evil.example', 'http://localhost:3000', 'null']) {
    expect(() => guard.checkOrigin({ ...none, origin }, 'localhost:8080'), origin).toThrow(refusal);
  }
});

it('refuses what another page embeds or fetches without naming itself, and answers a link that is followed', () => {
  const guard = createGuard({ host: '127.0.0.1' });
  for (const site of ['cross-site', 'same-site']) {
    for (const mode of ['no-cors', 'cors', undefined])
      expect(() => guard.checkOrigin({ ...none, site, mode }, 'localhost:8080'), `${site} ${mode}`).toThrow(refusal);
    expect(() => guard.checkOrigin({ ...none, site, mode: 'navigate' }, 'localhost:8080'), site).not.toThrow();
  }
  for (const site of ['same-origin', 'none'])
    expect(() => guard.checkOrigin({ ...none, site, mode: 'cors' }, 'localhost:8080'), site).not.toThrow();
});
