import { ClickHouseError } from '@clickhouse/client';
import { expect, test } from 'vitest';
import { queryError, storeError } from '../../../src/clickhouse/store-error.ts';

const engine = (code: string) => new ClickHouseError({ code, type: 'X', message: 'said so. ' });
const system = (code: string) => Object.assign(new Error(code), { code });

test.each([
  ['RS_STORE_UNREACHABLE', ['159', '202', '209', '210', '236', '241', '252', '285', '319', '425', '999'].map(engine)],
  ['RS_STORE_UNREACHABLE', ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTFOUND', 'ETIMEDOUT'].map(system)],
  ['RS_STORE_UNREACHABLE', [new Error('Timeout error.'), new Error('socket hang up'), new Error('aborted')]],
  ['RS_STORE_REFUSED', ['16', '27', '47', '60', '62', '117', '164', '192', '497', '516'].map(engine)],
  ['RS_STORE_REFUSED', ['DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID', 'EPROTO'].map(system)],
  ['RS_DISK_FULL', [engine('243'), system('ENOSPC')]],
])('%s: %s', (code, causes) => {
  expect(causes.map((cause) => storeError(cause, 'inserting').code)).toEqual(causes.map(() => code));
});

test('of a user: the mistake or the limit is the user’s, the network and the account are not', () => {
  const codes = ['47', '62', '159', '241', '396'].map((code) => queryError(engine(code)).code);
  expect(new Set(codes)).toEqual(new Set(['RS_QUERY_FAILED']));
  expect([engine('164'), engine('497')].map((cause) => queryError(cause).code)).toEqual([
    ...['RS_QUERY_REFUSED', 'RS_QUERY_REFUSED'],
  ]);
  expect(queryError(system('ECONNREFUSED')).code).toBe('RS_STORE_UNREACHABLE');
  expect(queryError(engine('202')).code).toBe('RS_STORE_UNREACHABLE');
  expect(queryError(engine('516')).code).toBe('RS_STORE_REFUSED');
});
