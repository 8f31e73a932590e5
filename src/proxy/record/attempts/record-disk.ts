import { closeSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Spool } from '../../../../clients/typescript/spool.ts';

/** Every change of what outlives the recording, so that a test may stop it at any of them. */
export interface RecordDisk {
  /** Behind the first `at` bytes of the file; what stood there is gone. */
  write(path: string, at: number, text: string): void;
  remove(path: string): void;
  /** false: there is no room. */
  spool(lines: string): boolean;
}

export function createRecordDisk(spool: Spool): RecordDisk {
  return {
    write(path, at, text) {
      const file = openSync(path, 'a', 0o600);
      try {
        ftruncateSync(file, at);
        const bytes = Buffer.from(text, 'utf8');
        for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      } finally {
        closeSync(file);
      }
    },
    remove: (path) => rmSync(path, { force: true }),
    spool: (lines) => spool.append(lines),
  };
}
