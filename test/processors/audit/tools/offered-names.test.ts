import { expect, it } from 'vitest';
import { offeredNames } from '../../../../processors/audit/tools/offered-names.ts';

it.each([
  ['[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}}]', ['a', 'b']],
  ['[{"name":"a","parameters":{}}]', ['a']],
  ['[{"toolSpec":{"name":"a","inputSchema":{}}}]', ['a']],
  ['[]', null],
  ['[{"name":"a"},{"type":"web_search"}]', null],
  ['{"a":{}}', null],
  ['[{"name":', null],
])('%s offers %j', (json, names) => {
  expect(offeredNames(json)).toEqual(names);
});

it('the same text gives the same list, so that open attempts share it', () => {
  const json = '[{"name":"shared"}]';
  expect(offeredNames(json)).toBe(offeredNames(json));
});
