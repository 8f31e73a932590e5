import { describe, expect, it } from 'vitest';
import { jsonElements } from '../../../../src/ingest/http/json-elements.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

/** The records, and what was said of the rest. */
async function elements(
  text: string,
  size = 7,
  limitBytes = 1_000,
): Promise<{ found: (string | null)[]; fault: string }> {
  const found: (string | null)[] = [];
  try {
    for await (const { bytes } of jsonElements(inPieces(text, size), 'events', limitBytes)) {
      found.push(bytes?.toString() ?? null);
    }
  } catch (error) {
    return { found, fault: error instanceof Error ? error.message : String(error) };
  }
  return { found, fault: '' };
}

const tricky = [
  '{"a":"]},[\\"\\\\"}',
  '{"b":[[1],{"c":[]}]}',
  '[ ]',
  '"x,]\\""',
  '-1.5e3',
  'null',
  '{"ü":"\u{1f600}"}',
];

describe('the records of a document', () => {
  it.each([1, 2, 3, 7, 4_096])('are those of its array, byte for byte, in pieces of %d', async (size) => {
    const padded = `\ufeff \n[ ${tricky.join(' ,\r\n\t')} ]\n`;
    expect(await elements(padded, size)).toEqual({ found: tricky, fault: '' });
    expect(await elements(`[${tricky.join(',')}]`, size)).toEqual({ found: tricky, fault: '' });
    expect(await elements(` { "events" : [${tricky.join(',')}] } `, size)).toEqual({ found: tricky, fault: '' });
  });

  it('are itself, where it is no array', async () => {
    const document = '{\n "kind": "start",\n "events": [1]\n}\n';
    expect(await elements(document)).toEqual({ found: [document], fault: '' });
    expect(await elements('{"events_": [1]}')).toEqual({ found: ['{"events_": [1]}'], fault: '' });
  });

  it('are none in an empty array', async () => {
    for (const text of ['[]', ' [ \n ] ', '{"events":[]}'])
      expect(await elements(text)).toEqual({ found: [], fault: '' });
  });

  it('that are too large are left out, and those behind them are not', async () => {
    expect(await elements(`[1,"${'x'.repeat(200)}",{"a":2}]`, 7, 100)).toEqual({
      found: ['1', null, '{"a":2}'],
      fault: '',
    });
  });
});

describe('what is no JSON is told where it begins', () => {
  it.each([
    ['[1,2', ['1'], 'the JSON of the body is cut short'],
    ['[{"a":1},{"b":"]}', ['{"a":1}'], 'the JSON of the body is cut short'],
    ['{"events":[1]', ['1'], 'the JSON of the body is cut short'],
    ['[1 2]', ['1'], 'malformed JSON: expected , or ] and got "2"'],
    ['[1,,2]', ['1'], 'malformed JSON: expected a record and got ","'],
    ['[1,]', ['1'], 'malformed JSON: expected a record and got "]"'],
    ['[,1]', [], 'malformed JSON: expected a record or ] and got ","'],
    ['[1] [2]', ['1'], 'malformed JSON: expected nothing and got "["'],
    ['{"events":[1],"more":2}', ['1'], 'malformed JSON: expected } and got ","'],
    ['', [], 'the body is empty: JSON is needed'],
  ])('%s', async (text, found, fault) => {
    expect(await elements(text)).toEqual({ found, fault });
  });
});
