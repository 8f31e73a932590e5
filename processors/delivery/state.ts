import type { LeaseRecord, ReadyEntry } from '../model/delivery.ts';
import type { Announced } from '../model/delivery-effects.ts';
import type { OnApplied } from './requests.ts';
import { Run } from './run.ts';

/** What reading ready.leases gives. */
export class State {
  readonly runs = new Map<string, Run>();
  /** Keys of claims and of indexed offsets that count, by kind; the newest last. */
  readonly records: Record<'claim' | 'indexed', string[]> = { claim: [], indexed: [] };
  /** Keys of records that count for nothing. */
  readonly void: string[] = [];
  claim = 0;
  owner: string | null = null;
  seq = 0;
  /** Offset of ready: what lies below is in chunks. */
  indexed = 0;

  constructor(
    readonly announced: (run: string) => ReadonlyMap<string, Announced>,
    readonly keptCheckpoints: number,
    readonly onApplied: OnApplied,
  ) {}

  run(name: string): Run {
    const known = this.runs.get(name);
    if (known !== undefined) return known;
    const run = new Run(name, () => this.announced(name));
    this.runs.set(name, run);
    return run;
  }

  /**
   * OWNERSHIP: a record counts if it is the next of the owner in force or begins a higher claim; else it is void. 1 A grant of e
   * hangs in the network; 2 the successor waits, reads to the end, grants e, writes its ack; 3 the old grant lands behind them, is
   * the last word for the next reader, and e is trained twice.
   * By (claim, seq) alone: 1 two claim number 6; 2 the loser tries a second time, with seq 2; 3 it puts itself in force.
   */
  counts({ claim, by, seq }: LeaseRecord): boolean {
    return claim === this.claim && by === this.owner ? seq > this.seq : claim > this.claim;
  }

  /** Whether it counts; then its owner is in force. */
  admit(record: LeaseRecord): boolean {
    if (!this.counts(record)) return false;
    this.claim = record.claim;
    this.owner = record.by;
    this.seq = record.seq;
    return true;
  }

  apply(key: string, record: LeaseRecord): void {
    if (!this.admit(record)) {
      this.void.push(key);
      return;
    }
    let entryOf = (_: number): ReadyEntry | undefined => undefined;
    if (record.kind === 'claim' || record.kind === 'indexed') {
      this.records[record.kind].push(key);
      if (record.kind === 'indexed') this.indexed = record.offset;
    } else {
      const run = this.run(record.run);
      run.apply(key, record, this.keptCheckpoints);
      entryOf = (offset) => run.order.get(offset);
    }
    this.onApplied(record, entryOf);
  }

  /** Keys of claims and indexed offsets that newer ones have replaced. */
  replaced(): string[] {
    return Object.values(this.records).flatMap((keys) => keys.splice(0, keys.length - 1));
  }
}
