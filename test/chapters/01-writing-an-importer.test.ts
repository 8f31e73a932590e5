import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packageFile } from '../../src/config/package-file.ts';
import type { JsonObject } from '../../src/ingest/exact-number.ts';
import { explainMapping } from '../../src/ingest/explain/explain-mapping.ts';
import { CONTEXT, eventsOf, floatsOf, idsOf, refusalOf } from '../src/ingest/importers/imported.ts';
import { tally } from './tally.ts';

// docs/writing-an-importer.md shows an importer; here it is held to what the page says of it.

const line: JsonObject = {
  ...{ tally: 1, id: 'q7', question: '6*7?', answer: '42', stopped: 'eos', score: 0.5, note: { by: 'hand' } },
  ...{ prompt_ids: [21, 9, 22, 30], answer_ids: [19, 17], answer_logprobs: [-0.25, null] },
};

it('the page shows the importer that is tested', () => {
  const shown = /```ts\n([\s\S]*?)```/.exec(readFileSync(packageFile('docs', 'writing-an-importer.md'), 'utf8'))?.[1];
  const here = readFileSync(packageFile('test', 'chapters', 'tally.ts'), 'utf8');
  const there = here.replaceAll("'../../processors/", "'../../../processors/").replaceAll("'../../src/ingest/", "'../");
  expect(shown).toBe(there);
});

it('a line becomes the events of its attempt, and a missing logprob is missing', async () => {
  const events = await eventsOf(tally, [line]);
  expect(events.map(({ kind, seq }) => [kind, seq])).toEqual([
    ['start', 0],
    ['message', 1],
    ['model_call', 2],
    ['end', 3],
    ['verdict', null],
  ]);
  const call = events[2]?.model_call;
  expect(idsOf(call?.prompt_delta_ids)).toEqual([21, 9, 22, 30]);
  expect(idsOf(call?.completion_ids)).toEqual([19, 17]);
  expect(floatsOf(call?.completion_logprobs)).toBeNull();
  expect(JSON.parse(events[2]?.extra_json ?? '')).toEqual({ missing_logprobs: [1] });
  expect(events[4]?.verdict).toMatchObject({ status: 'scored', rewards: { score: 0.5 } });
});

it('nothing of a line is in no event', () => {
  const mapping = explainMapping(tally, [line], CONTEXT);
  expect('dropped' in mapping && mapping.dropped).toEqual([]);
});

it('what is needed is refused by name; a score that is not there is missing, not 0', async () => {
  expect(await refusalOf(tally, { ...line, answer_logprobs: [-1] })).toMatchObject({ field: 'answer_logprobs' });
  expect(await refusalOf(tally, { ...line, question: 7 })).toMatchObject({ field: 'question', expected: 'a string' });
  const [verdict] = (await eventsOf(tally, [{ ...line, score: null }])).filter(({ kind }) => kind === 'verdict');
  expect(verdict?.verdict).toMatchObject({ status: 'missing', rewards: { score: null } });
});
