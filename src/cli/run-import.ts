import { createImportSink } from '../access/create-import-sink.ts';
import type { ImportTarget } from '../access/import-target.ts';
import { type ImportOptions, importFiles } from '../ingest/import-files.ts';
import type { ImportReport } from '../ingest/import-report.ts';
import type { ImportSink } from '../ingest/import-sink.ts';
import type { CommandContext } from './context.ts';
import { createProgress } from './progress.ts';
import { visible } from './table.ts';
import { interrupted, interruption } from './until-stopped.ts';

export interface ImportRun {
  readonly paths: readonly string[];
  readonly options: ImportOptions;
  /** null: a dry run. */
  readonly target: ImportTarget | null;
  /** Aborted: nothing more is appended, and the import ends with RS_INTERRUPTED. */
  readonly stopped: AbortSignal;
}

/** Reads the files into the target and waits until the lanes have decided what can be decided. */
export async function runImport(run: ImportRun, context: CommandContext): Promise<ImportReport> {
  const sink = run.target === null ? nowhere : interruptible(await createImportSink(run.target), run.stopped);
  const progress = createProgress(context.io, context.flags.quiet === true);
  const listener = {
    progress: progress.update,
    message: (text: string) => {
      progress.stop();
      context.warn(visible(text));
    },
  };
  try {
    const stdin: AsyncIterable<Buffer> = context.io.stdin;
    const report = await importFiles(run.paths, run.options, sink, listener, stdin);
    progress.stop();
    if (run.target !== null) await Promise.race([run.target.drained(), interruption(run.stopped)]);
    return report;
  } finally {
    progress.stop();
  }
}

const nowhere: ImportSink = { append: async () => {}, deadLetter: async () => {}, sourceEnded: async () => {} };

function interruptible(sink: ImportSink, stopped: AbortSignal): ImportSink {
  const check = () => {
    if (stopped.aborted) throw interrupted();
  };
  return {
    ...sink,
    append(events) {
      check();
      return sink.append(events);
    },
    deadLetter(letter) {
      check();
      return sink.deadLetter(letter);
    },
    sourceEnded(producerId) {
      check();
      return sink.sourceEnded(producerId);
    },
  };
}
