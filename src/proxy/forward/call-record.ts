import { type CallFile, openCallFile } from '../journal/call-file.ts';
import type { AnswerHead, CallEnd, CallHead } from '../journal/call-head.ts';
import type { Problems } from './problems.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';

/** What is kept of a call that is under way. Nothing of it throws: where the disk refuses, the call goes on without. */
export interface CallRecord {
  askedAgain(head: CallHead): void;
  answer(head: AnswerHead): void;
  piece(bytes: Uint8Array): void;
  /** Before the client is sent anything of it. */
  flush(): void;
  end(end: CallEnd): void;
}

export interface CallRecordDeps {
  readonly folder: string;
  /** Of a file that is whole. */
  readonly ended: (path: string) => void;
  readonly problems: Problems;
  readonly metrics: ProxyMetrics;
}

export type BeginRecord = (head: CallHead, request: Uint8Array, sinceUs: () => number) => CallRecord;

export function createBeginRecord({ folder, ended, problems, metrics }: CallRecordDeps): BeginRecord {
  return function beginRecord(head, request, sinceUs) {
    let file: CallFile | null = null;
    const attempt = (write: () => void): void => {
      try {
        write();
      } catch (error) {
        file?.abandon();
        file = null;
        metrics.unrecorded();
        const why = error instanceof Error ? error.message : String(error);
        problems.say('unrecorded', `a call goes on unrecorded: its file cannot be written: ${why}`);
      }
    };
    attempt(() => {
      file = openCallFile(folder, head, request, sinceUs);
    });
    return {
      askedAgain: (again) => attempt(() => file?.head(again)),
      answer: (answer) => attempt(() => file?.answer(answer)),
      piece: (bytes) => attempt(() => file?.piece(bytes)),
      flush: () => attempt(() => file?.flush()),
      end(end) {
        attempt(() => file?.end(end));
        if (file !== null) ended(file.path);
      },
    };
  };
}
