import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ExactNumber } from '../../../src/ingest/exact-number.ts';
import { sourceTime } from '../../../src/ingest/source-times.ts';

// 2026-04-02T10:20:30.123456Z, by `date -u -d … +%s`.
const US = 1_775_125_230_123_456;

it.each([
  ['ISO in UTC', '2026-04-02T10:20:30.123456Z', US, null],
  ['ISO with a zone', '2026-04-02T12:20:30.123456+02:00', US, null],
  ['ISO with a zone without a colon', '2026-04-02T05:20:30.123456-0500', US, null],
  ['ISO with nanoseconds', '2026-04-02 10:20:30.123456789Z', US, null],
  ['ISO without a zone is taken as UTC, and says so', '2026-04-02T10:20:30.123456', US, 'naive'],
  ['s', 1_775_125_230.123456, US, null],
  ['ms', 1_775_125_230_123, US - 456, null],
  ['µs', US, US, null],
  ['ns beyond 2^53', new ExactNumber('1775125230123456789'), US, null],
  ['ns as text', '1775125230123456789', US, null],
  ['nothing', null, null, null],
  ['an empty text', '', null, null],
  ['0', 0, null, 'unclear'],
  ['the year 9999', '9999-12-31T23:59:59Z', null, 'unclear'],
  ['a day without a time', '2026-04-02', null, 'unclear'],
  ['a month that does not exist', '2026-13-02T10:20:30Z', null, 'unclear'],
  ['text', 'yesterday', null, 'unclear'],
  ['NaN', new ExactNumber('NaN'), null, 'unclear'],
  ['a duration', 12.5, null, 'unclear'],
])('%s', (_, value, us, note) => {
  expect(sourceTime(value)).toEqual({ us, note });
});

it('any µs of 1990 to 2100 is the same in every unit and spelling that holds it', () => {
  const us = fc.integer({ min: 631_152_000_000_000, max: 4_102_444_799_999_999 });
  fc.assert(
    fc.property(us, (at) => {
      const iso = `${new Date(Math.floor(at / 1000)).toISOString().slice(0, -1)}${String(at % 1000).padStart(3, '0')}Z`;
      expect(sourceTime(iso)).toEqual({ us: at, note: null });
      expect(sourceTime(at)).toEqual({ us: at, note: null });
      expect(sourceTime(`${at}999`)).toEqual({ us: at, note: null });
    }),
  );
});
