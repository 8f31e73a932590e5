import type { Writable } from 'node:stream';

/** The reader went away (`rollstream ready | head`): not an error, there is just nothing left to do. */
export class OutputClosed extends Error {
  constructor() {
    super('the reader of the output has closed it');
    this.name = 'OutputClosed';
  }
}

/** Data for whoever reads the command. */
export interface Output {
  /** Resolves once more may be written; rejects with OutputClosed when nobody reads any more. */
  write(text: string): Promise<void>;
}

/** Waits for a slow reader, so that a long answer never piles up in memory. */
export function createOutput(stream: Writable): Output {
  let failure: Error | null = null;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code === 'EPIPE' || error.code === 'ERR_STREAM_DESTROYED' ? new OutputClosed() : error;
  });
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        if (failure !== null) return reject(failure);
        const full = !stream.write(text);
        if (!full) return resolve();
        const settle = () => {
          stream.off('drain', settle);
          stream.off('close', settle);
          stream.off('error', settle);
          if (failure === null && !stream.destroyed) resolve();
          else reject(failure ?? new OutputClosed());
        };
        stream.once('drain', settle);
        stream.once('close', settle);
        stream.once('error', settle);
      }),
  };
}
