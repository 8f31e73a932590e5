import type { Logger } from 'pino';
import type { Dispatcher } from '../../processors/delivery/dispatcher.ts';
import { createDiscardedRows } from './rows/discarded-rows.ts';
import type { RowBatcher } from './rows/row-batcher.ts';
import type { Session } from './session.ts';
import type { Alarm } from './waiting/alarm.ts';

/** What follows from records and is no answer to anybody: done soon after, once for many. */
export interface TidyRuns {
  /** A record counted: some run may be worth folding. */
  soon(): void;
  /** Weights may have been condemned that sampled what is queued in the run. */
  suspect(run: string): void;
}

export interface TidyDeps {
  readonly dispatcher: Dispatcher;
  readonly rows: RowBatcher;
  readonly inTurn: Session['inTurn'];
  readonly alarm: Alarm;
  readonly log: Logger;
  readonly over: AbortSignal;
  /** ms since the epoch. */
  readonly nowMs: () => number;
}

const TIDY_MS = 1_000;

/**
 * What was discarded gets its rows; then a run is folded. ROWS FIRST: 1 an ack is final, and folded; 2 its record is dropped; 3 death
 * before the insert: whoever takes over finds no record to make the row of.
 */
export function createTidyRuns({ dispatcher, rows, inTurn, alarm, log, over, nowMs }: TidyDeps): TidyRuns {
  const discarded = createDiscardedRows();
  const suspects = new Set<string>();
  let isRung = false;

  const tidy = async (): Promise<void> => {
    const foldable = new Set(dispatcher.foldable());
    for (const run of new Set([...suspects, ...foldable]))
      await inTurn(async (perform) => {
        suspects.delete(run);
        await perform(dispatcher.settleRun(run));
        rows.add(discarded(dispatcher, run, nowMs()));
        if (!foldable.has(run)) return;
        await rows.flushed();
        await perform(dispatcher.fold(run));
      });
  };

  const soon = (): void => {
    if (isRung) return;
    isRung = true;
    alarm(TIDY_MS, () => {
      isRung = false;
      if (over.aborted) return;
      // The next record that counts rings again.
      tidy().catch((error: unknown) => log.warn({ err: error }, 'spent records of ready.leases are not folded'));
    });
  };

  return {
    soon,
    suspect(run) {
      suspects.add(run);
      soon();
    },
  };
}
