import { expect, it } from 'vitest';
import { nearest, suggestion } from '../../../src/config/nearest.ts';

const KEYS = ['data', 'http.port', 'http.host', 'partitions'];

it('finds what a slip of the finger meant', () => {
  expect(nearest('dta', KEYS)).toBe('data');
  expect(nearest('http.prot', KEYS)).toBe('http.port');
  expect(nearest('PARTITONS', KEYS)).toBe('partitions');
});

it('suggests nothing for what is near nothing', () => {
  expect(nearest('kafka.brokers', KEYS)).toBeNull();
  expect(suggestion('kafka.brokers', KEYS)).toBe('');
});
