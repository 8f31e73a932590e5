import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRecordDisk, type RecordDisk } from '../../../../src/proxy/record/attempts/record-disk.ts';
import { type CallRecorder, createRecorder } from '../../../../src/proxy/record/create-recorder.ts';
import { inOrderOfEnd, leftOverCalls } from '../../../../src/proxy/record/left-over-calls.ts';
import { RECORD_LIMITS, type RecordLimits } from '../../../../src/proxy/record/limits.ts';
import { openRunSpools } from '../../../../src/proxy/record/run-spools.ts';
import type { SentEvent } from '../../../clients/typescript/collecting-server.ts';

export interface InProcess {
  readonly recorder: CallRecorder;
  /** What is in all spools, in order, each event once. */
  events(): SentEvent[];
}

export interface InProcessOptions {
  readonly limits?: Partial<RecordLimits>;
  readonly idleMs?: number;
  readonly idleReason?: string;
  readonly now?: () => number;
  /** Around every change of what is on disk. */
  readonly disk?: (disk: RecordDisk) => RecordDisk;
}

/** The recorder as its thread has it, without the thread: it takes what an earlier one left first. */
export function openInProcess(folder: string, options: InProcessOptions = {}): InProcess {
  const [state, callsFolder] = [join(folder, 'recording'), join(folder, 'calls')];
  for (const path of [state, callsFolder]) mkdirSync(path, { recursive: true });
  const limits = { ...RECORD_LIMITS, ...options.limits };
  const spools = openRunSpools({
    ...{ folder: join(state, 'spool'), producerId: 'proxy-1', server: null, maxBytes: limits.spoolBytes },
    say: () => undefined,
  });
  const plain = createRecordDisk(state, spools);
  const recorder = createRecorder({
    ...{ folder: state, producerId: 'proxy-1', callsFolder, limits },
    options: {
      run: 'proxy',
      env: 'proxy',
      purpose: 'train',
      idleMs: options.idleMs ?? 900_000,
      idleReason: options.idleReason ?? null,
    },
    disk: options.disk?.(plain) ?? plain,
    now: options.now ?? (() => 1_700_000_100_000),
  });
  for (const path of inOrderOfEnd(leftOverCalls(callsFolder))) recorder.take(path);
  return { recorder, events: () => eventsIn(folder) };
}

export function linesIn(folder: string): string[] {
  const spools = join(folder, 'recording', 'spool');
  const numbered = readdirSync(spools).flatMap((run) =>
    readdirSync(join(spools, run)).flatMap((name) => (name === 'run.json' ? [] : [join(run, name)])),
  );
  // In the order in which they were written, where there is one run.
  return numbered.sort().flatMap((name) => {
    const files = readdirSync(join(spools, name)).sort();
    return files.flatMap((file) => {
      const text = readFileSync(join(spools, name, file), 'utf8');
      // A line without its end was torn: nobody was told that it stands.
      return text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter((line) => line !== '');
    });
  });
}

/** Throws where the same event was written in two ways. */
export function eventsIn(folder: string): SentEvent[] {
  const byId = new Map<string, string>();
  for (const line of linesIn(folder)) {
    const { event_id }: SentEvent = JSON.parse(line);
    const before = byId.get(event_id);
    if (before !== undefined && before !== line) throw new Error(`${event_id} is two events:\n${before}\n${line}`);
    byId.set(event_id, line);
  }
  return [...byId.values()].map((line): SentEvent => JSON.parse(line));
}
