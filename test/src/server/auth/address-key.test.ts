import { expect, it } from 'vitest';
import { addressKey } from '../../../../src/server/auth/address-key.ts';

it('an address of IPv4 is itself, also where it is written as one of IPv6', () => {
  expect(addressKey('192.0.2.7')).toBe('192.0.2.7');
  expect(addressKey('::ffff:192.0.2.7')).toBe('192.0.2.7');
});

it('addresses of IPv6 in one /64 are one', () => {
  const one = addressKey('2001:db8:0:7::1');
  for (const same of ['2001:db8:0:7:ffff:1:2:3', '2001:0DB8::7:0:0:0:2', '2001:db8:0:7::%eth0'])
    expect(addressKey(same), same).toBe(one);
  expect(addressKey('2001:db8:0:8::1')).not.toBe(one);
});

it('short ones are no others', () => {
  expect(addressKey('::1')).toBe('0:0:0:0');
  expect(addressKey('fe80::1%eth0')).toBe('fe80:0:0:0');
  expect(addressKey('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2');
});
