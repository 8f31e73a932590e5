import { closeSync, existsSync, openSync, renameSync, writeSync } from 'node:fs';
import { RollstreamError } from '../../errors.ts';
import type { TruthCall, TruthHead } from '../truth.ts';

/** A line a call, in the file as soon as `write` returns: what a client has the end of is told, also of a process that is killed. */
export interface TruthLog {
  /** Nothing more fits: what cannot be told must not be answered. */
  readonly isFull: () => boolean;
  readonly write: (call: TruthCall) => void;
  readonly close: () => void;
}

/** Some 100,000 calls of an agent. */
const MOST_BYTES = 8 * 1024 ** 3;

/** Begins the file anew; one that is there becomes `FILE.1`. */
export function openTruthLog(file: string, head: TruthHead, mostBytes = MOST_BYTES): TruthLog {
  try {
    if (existsSync(file)) renameSync(file, `${file}.1`);
    const descriptor = openSync(file, 'w');
    let bytes = 0;
    const writeLine = (line: TruthHead | TruthCall): void => {
      bytes += writeSync(descriptor, `${JSON.stringify(line)}\n`);
    };
    writeLine(head);
    return { isFull: () => bytes >= mostBytes, write: writeLine, close: () => closeSync(descriptor) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RollstreamError('RS_FILE_UNREADABLE', `${file}: the log cannot be written: ${why}`, {
      cause,
      facts: { file },
    });
  }
}
