import { expect, test } from 'vitest';
import { importerNamed } from '../../../src/ingest/importers.ts';
import { refusalOf } from './importers/imported.ts';

const sample = { tokens: [1, 2], response_length: 1, status: 'completed', prompt: 'q', reward: 1 };
const request = { resourceSpans: [] };

test.each([
  ['verifiers', {}, 'completion'],
  ['verifiers', sample, 'completion'],
  ['verifiers-v1', {}, 'traces'],
  ['verifiers-v1', request, 'traces'],
  ['mini-swe-agent', {}, 'messages'],
  ['mini-swe-agent', { messages: [{ schema_version: 'ATIF-v1.7' }] }, 'messages[0].role'],
  ['mini-swe-agent', { '[]': [] }, ''],
])('%s, asked for where the file is something else, invents no rollout: %j', async (name, line, field) => {
  const importer = importerNamed(name);
  if (importer === undefined) throw new Error(name);
  expect(await refusalOf(importer, line)).toMatchObject({ field });
});
