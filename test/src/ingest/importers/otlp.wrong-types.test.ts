import { expect, test } from 'vitest';
import { otlp } from '../../../../src/ingest/importers/otlp.ts';
import { triedFields } from './field-variants.ts';
import { agentSpans, request } from './otlp-trace.ts';

test('whatever stands in a field is kept or refused by name', async () => {
  expect(await triedFields(otlp, [request(agentSpans())])).toBeGreaterThan(500);
});
