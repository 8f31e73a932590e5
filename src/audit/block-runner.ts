import type { BlockReport } from './attempt-report.ts';
import type { AuditEngine, LineBlock } from './audit-engine.ts';

/** Where blocks are audited: here, or in workers. */
export interface BlockRunner {
  /** Blocks worth having under way at a time. */
  readonly width: number;
  run(block: LineBlock): Promise<BlockReport>;
  /** Nothing more comes: what is open closes. */
  finish(): Promise<BlockReport[]>;
  close(): Promise<void>;
}

/** One engine takes one block after the other. */
export function createLocalRunner(engine: AuditEngine): BlockRunner {
  let last: Promise<unknown> = Promise.resolve();
  return {
    width: 2,
    run(block) {
      const report = last.then(() => engine.audit(block));
      last = report.catch(() => undefined);
      return report;
    },
    async finish() {
      await last;
      return [await engine.finish()];
    },
    close: () => engine.close(),
  };
}
