import { type CallFile, openCallFile } from '../journal/call-file.ts';
import type { AnswerHead, CallEnd, CallHead } from '../journal/call-head.ts';
import type { FileReuse, Reuse } from '../journal/file-reuse.ts';
import type { Problems } from './problems.ts';
import type { ProxyMetrics } from './proxy-metrics.ts';

/** What is kept of a call that is under way. Nothing of it throws: where the disk refuses, the call goes on without. */
export interface CallRecord {
  /** Makes its file, in which the request stands then. Before anything else of the record but its end; again it does nothing. */
  begin(): void;
  askedAgain(head: CallHead): void;
  answer(head: AnswerHead): void;
  piece(bytes: Uint8Array): void;
  /** Before the client is sent anything of it. */
  flush(): void;
  end(end: CallEnd): void;
}

export interface CallRecordDeps {
  readonly folder: string;
  readonly files: FileReuse;
  /** Of a file that is whole. */
  readonly ended: (path: string, reuse: Reuse | null) => void;
  readonly problems: Problems;
  readonly metrics: ProxyMetrics;
}

export type CreateCallRecord = (head: CallHead, request: Uint8Array, sinceUs: () => number) => CallRecord;

export function createCallRecords({ folder, files, ended, problems, metrics }: CallRecordDeps): CreateCallRecord {
  return function createCallRecord(head, request, sinceUs) {
    let file: CallFile | null = null;
    let hasBegun = false;
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
    const begin = (): void => {
      if (hasBegun) return;
      hasBegun = true;
      attempt(() => {
        file = openCallFile(folder, head, request, sinceUs, files);
      });
    };
    return {
      begin,
      askedAgain: (again) => attempt(() => file?.head(again)),
      answer: (answer) => attempt(() => file?.answer(answer)),
      piece: (bytes) => attempt(() => file?.piece(bytes)),
      flush: () => attempt(() => file?.flush()),
      end(end) {
        begin();
        let reuse: Reuse | null = null;
        attempt(() => {
          reuse = file?.end(end) ?? null;
        });
        if (file !== null) ended(file.path, reuse);
      },
    };
  };
}
