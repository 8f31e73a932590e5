import { createGunzip } from 'node:zlib';
import { BodyFault } from './read-step.ts';

/** Of compressed bytes given to zlib at once: what comes of them, at most a thousand times as much, is in memory together. */
const SLICE_BYTES = 4 * 1024;

/**
 * The content of gzip, as far as it goes: what stands before a cut or a damage is given before BodyFault is thrown, where a piped
 * stream would lose what it holds. Bytes behind the end are a fault, too: zlib leaves them out in silence.
 */
export async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const engine = createGunzip();
  const outputs: Buffer[] = [];
  let fault: Error | null = null;
  let isOver = false;
  let given = 0;
  let wake = (): void => undefined;
  engine.on('data', (output: Buffer) => outputs.push(output));
  engine.on('error', (error) => {
    fault = error;
    wake();
  });
  // Of bytes behind the end zlib never says that it took them.
  engine.on('end', () => {
    isOver = true;
    wake();
  });
  /** What came of it, once zlib has taken it, ended or failed. */
  const outcome = async (act: (done: () => void) => void): Promise<Buffer[]> => {
    if (!isOver && fault === null) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        act(resolve);
      });
    }
    return outputs.splice(0);
  };

  try {
    for await (const chunk of chunks) {
      for (let from = 0; from < chunk.length; from += SLICE_BYTES) {
        const slice = chunk.subarray(from, from + SLICE_BYTES);
        given += slice.length;
        yield* await outcome((done) => engine.write(slice, done));
        if (fault !== null) throw broken(fault);
        if (isOver) throw new BodyFault('the body goes on after the end of its gzip');
      }
    }
    yield* await outcome(() => engine.end());
    if (fault !== null) throw broken(fault);
    if (engine.bytesWritten < given) throw new BodyFault('the body goes on after the end of its gzip');
  } finally {
    engine.destroy();
  }
}

function broken({ message }: Error): BodyFault {
  return new BodyFault(
    message === 'unexpected end of file' ? 'the gzip of the body is cut short' : `the body is broken gzip: ${message}`,
  );
}
