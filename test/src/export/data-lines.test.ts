import { expect, it } from 'vitest';
import { dataLines } from '../../../src/export/data-lines.ts';
import { type LeftOut, leftOutLine } from '../../../src/export/left-out.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

it('data passes byte for byte however it is cut, what was left out is told', async () => {
  const text = `{"a":"ü\\n"}\n${leftOutLine({ rollout_id: 'r"1', attempt: 2 }, 'no_prompt')}{"b":1}\n`;
  for (const size of [1, 2, 7, 1_000]) {
    const leftOut: LeftOut[] = [];
    let lines = 0;
    const tell = { line: () => lines++, leftOut: (one: LeftOut) => leftOut.push(one) };
    const out: Buffer[] = [];
    for await (const piece of dataLines(inPieces(Buffer.from(text), size), tell)) out.push(piece);
    expect(Buffer.concat(out).toString()).toBe('{"a":"ü\\n"}\n{"b":1}\n');
    expect({ lines, leftOut }).toEqual({ lines: 2, leftOut: [{ rollout_id: 'r"1', attempt: 2, reason: 'no_prompt' }] });
  }
});
