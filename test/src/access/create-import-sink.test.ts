import { expect, it } from 'vitest';
import { createImportSink } from '../../../src/access/create-import-sink.ts';
import type { FramedRecord } from '../../../src/access/record-frames.ts';
import { prepareRecord } from '../../../src/broker/prepared-record.ts';

it('a dead letter whose field is named with a lone surrogate can be written down', async () => {
  const letters: FramedRecord[] = [];
  const sink = await createImportSink({
    register: async () => 1,
    appendSteps: async () => undefined,
    appendDeadLetters: async (records) => {
      letters.push(...records);
    },
    appendToEveryPartition: async () => undefined,
    closedRuns: async () => new Map(),
    drained: async () => undefined,
    accounting: async () => ({ runs: [], not_taken_in: {} }),
  });
  const place = { file: 'f', line: 1, offset: 0, sha256: 'ab', length: 2, bytes: Buffer.from('{}') };
  await sink.deadLetter({ ...place, message: 'm', field: 'a.\ud83d', expected: 'e', got: '\ud83d' });
  const [letter] = letters;
  expect(letter?.headers).toMatchObject({ field: 'a.\ufffd', got: '\ufffd', stage: 'import' });
  if (letter !== undefined) expect(prepareRecord('dead-letter', letter, 1_000).value).toEqual(place.bytes);
});
