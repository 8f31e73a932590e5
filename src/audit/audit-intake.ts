import type { FileReport } from '../ingest/import-report.ts';
import type { AttemptReport, BlockReport } from './attempt-report.ts';
import { createRenumber } from './record-numbering.ts';
import { createSample, type SampleSize } from './sample.ts';
import { createSeenAttempts } from './seen-attempts.ts';

/** What the audit counts beside its findings. */
export interface IntakeCounts {
  readonly lines: number;
  readonly events: number;
  readonly refused: number;
  /** Attempts that stood there before, and those that a sample does not hold. */
  readonly repeated: number;
  readonly passedOver: number;
  /** Events that were not folded, by reason. */
  readonly faults: Readonly<Record<string, number>>;
  readonly files: readonly FileReport[];
}

export interface IntakeFile {
  readonly path: string;
  readonly format: string;
  refuse(line: number, message: string): void;
  accept(report: BlockReport): Promise<void>;
}

/** Takes what blocks gave in the order of the files, whatever order it came in. */
export interface AuditIntake {
  file(path: string, format: string, why: string): IntakeFile;
  refuseFile(path: string, why: string): void;
  passFile(path: string, why: string): void;
  /** Waits while more than `width` blocks are under way. */
  take(file: IntakeFile, report: Promise<BlockReport>, width: number): Promise<void>;
  /** Waits for all that is under way. */
  drain(): Promise<void>;
  /** The end of the input: attempts whose events stand on several lines, then the sample. */
  settle(last: readonly BlockReport[]): Promise<void>;
  tell(text: string): void;
  events(): number;
  counts(): IntakeCounts;
}

export interface AuditIntakeDeps {
  readonly sample: SampleSize | null;
  readonly message: (text: string) => void;
  /** Each attempt once, in order. */
  readonly attempt: (report: AttemptReport, file: string) => Promise<void>;
}

/** Refused lines of a file that are told one by one. */
const MOST_TOLD = 20;

export function createAuditIntake({ sample, message, attempt }: AuditIntakeDeps): AuditIntake {
  const isFirst = createSeenAttempts();
  const drawn = sample === null ? null : createSample<{ report: AttemptReport; file: string; place: number }>(sample);
  const files = new Map<string, { -readonly [K in keyof FileReport]: FileReport[K] }>();
  const underWay: Array<{ readonly file: IntakeFile; readonly report: Promise<BlockReport> }> = [];
  const faults: Record<string, number> = {};
  let [lines, events, refused, repeated, passedOver, place] = [0, 0, 0, 0, 0, 0];

  async function takeAttempt(report: AttemptReport, file: string): Promise<void> {
    const from = report.file ?? file;
    if (!isFirst(report)) repeated++;
    else if (drawn === null) await attempt(report, from);
    else if (report.sampleHash !== null) drawn.add(report.sampleHash, { report, file: from, place: place++ });
  }

  function count(report: BlockReport): void {
    events += report.events;
    passedOver += report.passedOver;
    for (const [reason, n] of Object.entries(report.faults)) faults[reason] = (faults[reason] ?? 0) + n;
  }

  async function oldest(): Promise<void> {
    const next = underWay.shift();
    if (next !== undefined) await next.file.accept(await next.report);
  }

  const intake: AuditIntake = {
    file(path, format, why) {
      const renumber = createRenumber();
      const told = files.get(path) ?? { path, format, why, lines: 0, refused: 0 };
      files.set(path, told);
      const refuse = (line: number, text: string) => {
        refused++;
        told.refused++;
        if (told.refused <= MOST_TOLD) message(`${path}:${line}: ${text}`);
        else if (told.refused === MOST_TOLD + 1) message(`${path}: more lines are refused; they are counted`);
      };
      return {
        path,
        format,
        refuse,
        async accept(report) {
          count(report);
          lines += report.lines;
          told.lines += report.lines;
          for (const { line, message: text } of report.refused) refuse(line, text);
          for (const one of report.attempts) await takeAttempt(renumber(one), path);
        },
      };
    },
    refuseFile(path, why) {
      refused++;
      const known = files.get(path);
      if (known !== undefined) known.refused++;
      else files.set(path, { path, format: null, why, lines: 0, refused: 1 });
      message(`${path}: ${why}`);
    },
    passFile(path, why) {
      files.set(path, { path, format: null, why, lines: 0, refused: 0 });
      message(`${path}: ${why}`);
    },
    async take(file, report, width) {
      // Its failure is thrown where it is awaited, not before.
      report.catch(() => undefined);
      underWay.push({ file, report });
      if (underWay.length > width) await oldest();
    },
    async drain() {
      while (underWay.length > 0) await oldest();
    },
    async settle(last) {
      for (const report of last) {
        count(report);
        for (const one of report.attempts) await takeAttempt(one, '');
      }
      const chosen = (drawn?.items() ?? []).sort((a, b) => a.place - b.place);
      passedOver += place - chosen.length;
      for (const { report, file } of chosen) await attempt(report, file);
    },
    tell: message,
    events: () => events,
    counts: () => ({ lines, events, refused, repeated, passedOver, faults, files: [...files.values()] }),
  };
  return intake;
}
