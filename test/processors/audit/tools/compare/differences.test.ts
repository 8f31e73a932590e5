import { expect, it } from 'vitest';
import { differences } from '../../../../../processors/audit/tools/compare/differences.ts';
import { scanWholeJson } from '../../../../../processors/audit/tools/parse/scan-json.ts';
import type { StrictValue } from '../../../../../processors/audit/tools/parse/strict-value.ts';

function read(json: string): StrictValue {
  const scan = scanWholeJson(json);
  if (scan.kind === 'fault') throw new Error(scan.fault);
  return scan.value;
}
const between = (written: string, executed: string, isUntyped = false) =>
  differences(read(written), read(executed), isUntyped).map(({ path, kind }) => [path, kind]);

it('order of keys, spelling of numbers and escapes are no difference', () => {
  expect(between('{"a":1.0,"b":"\\u00e9"}', '{"b":"é","a":1}')).toEqual([]);
});

it('each difference has its path and kind (case 67)', () => {
  expect(
    between('{"a":1,"b":{"c":[1,{"d":true}]},"e":"x"}', '{"a":"1","b":{"c":[1,{"d":null}]},"e":"y","f":0}'),
  ).toEqual([
    ['f', 'extra'],
    ['a', 'type'],
    ['b.c[1].d', 'type'],
    ['e', 'value'],
  ]);
  expect(between('{"a":[1,2],"b":1}', '{"a":[1]}')).toEqual([
    ['b', 'missing'],
    ['a', 'missing'],
  ]);
});

it('untyped values are compared as what they may be read as', () => {
  expect(between('{"a":"1","b":"{\\"c\\": [1]}","d":"None"}', '{"a":1,"b":{"c":[1]},"d":null}', true)).toEqual([]);
  expect(between('{"a":"01"}', '{"a":1}', true)).toEqual([['a', 'value']]);
});
