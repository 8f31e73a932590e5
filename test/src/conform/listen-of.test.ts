import { expect, it } from 'vitest';
import { listenOf } from '../../../src/conform/listen-of.ts';

it('reads an address and a port, or a port', () => {
  expect(listenOf('127.0.0.1:8200')).toEqual({ host: '127.0.0.1', port: 8200 });
  expect(listenOf('[::1]:80')).toEqual({ host: '::1', port: 80 });
  expect(listenOf('8200')).toEqual({ host: '127.0.0.1', port: 8200 });
});

it('refuses anything else', () => {
  for (const text of ['', 'localhost', ':8200', '::1:80', '127.0.0.1:65536', '127.0.0.1:8200/v1'])
    expect(() => listenOf(text), text).toThrow(/--listen/);
});
