import type { ErrorCode } from '../../errors.ts';
import type { NamedAttempt, RecordingOptions, RecordingStatus, SaidEnd, SaidVerdict } from './port.ts';

/** What the thread of a recording is started with. */
export interface RecorderStart {
  readonly options: RecordingOptions;
  readonly producerId: string;
  /** Files of calls that ended before it began. */
  readonly leftOver: readonly string[];
}

/** What it is told and asked; `id` tells which question is answered. */
export type RecorderRequest =
  /** `isReused`: its file is to be emptied, not removed. */
  | { readonly kind: 'ended'; readonly path: string; readonly isReused: boolean }
  /** Set aside: nobody can make events of it. */
  | { readonly kind: 'unread'; readonly path: string }
  | ({ readonly id: number } & RecorderQuestion);

export type RecorderQuestion =
  /** `isRepeated`: it was asked before of a thread that is no more. */
  | { readonly kind: 'end'; readonly named: NamedAttempt; readonly end: SaidEnd; readonly isRepeated: boolean }
  | { readonly kind: 'verdict'; readonly named: NamedAttempt; readonly verdict: SaidVerdict }
  | { readonly kind: 'status' }
  | { readonly kind: 'close'; readonly timeoutMs: number };

/** Of the file of a call that was taken: all stays where the client may ask again. */
export type LeftOfFile = 'nothing' | 'empty' | 'all';

export type RecorderAnswer =
  | { readonly kind: 'ready' }
  /** Should the thread die now, it is of this. */
  | { readonly kind: 'taking'; readonly path: string }
  | { readonly kind: 'taken'; readonly path: string; readonly left: LeftOfFile }
  /** For the log. */
  | { readonly kind: 'said'; readonly level: 'warn' | 'info'; readonly message: string }
  | { readonly kind: 'done'; readonly id: number; readonly status: RecordingStatus | null }
  | {
      readonly kind: 'failed';
      readonly id: number /** null: a bug. */;
      readonly code: ErrorCode | null;
      readonly message: string;
    };
