import { PassThrough, Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { createOutput, OutputClosed } from '../../../src/cli/output.ts';

it('waits for a slow reader', async () => {
  const stream = new PassThrough({ highWaterMark: 4 });
  const output = createOutput(stream);
  let written = false;
  const write = output.write('more than four').then(() => {
    written = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(written).toBe(false);
  stream.resume();
  await write;
  expect(written).toBe(true);
});

it('tells a reader that went away from a failure', async () => {
  const failing = (code: string) =>
    new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error(`write ${code}`), { code }));
      },
    });
  await expect(createOutput(failing('EPIPE')).write('text')).rejects.toThrow(OutputClosed);
  await expect(createOutput(failing('ENOSPC')).write('text')).rejects.toThrow('write ENOSPC');
});
