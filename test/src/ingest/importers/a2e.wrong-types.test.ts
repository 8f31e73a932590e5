import { expect, test } from 'vitest';
import { a2e } from '../../../../src/ingest/importers/a2e.ts';
import { wholeEpisode } from './a2e-wire.ts';
import { triedFields } from './field-variants.ts';

test('whatever stands in a field is kept or refused by name', async () => {
  const [asked, answered, call, , , , action, last] = wholeEpisode('e1');
  const lines = [asked, answered, call, action, last].flatMap((line) => line ?? []);
  expect(await triedFields(a2e, lines)).toBeGreaterThan(500);
});
