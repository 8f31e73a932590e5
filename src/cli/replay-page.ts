import { resolve } from 'node:path';
import { openReportFile } from '../audit/report/report-file.ts';
import type { ReplayReport } from '../rescore/replays.ts';
import { reportHtml } from '../rescore/report/html.ts';

/** The page that a report becomes, where one is wanted. */
export interface ReplayPage {
  write(report: ReplayReport): Promise<void>;
  /** There will be none; after `write` it does nothing. */
  discard(): Promise<void>;
}

/** Before anything is replayed: a folder that is not there would cost all that was scored. */
export async function openReplayPage(html: string | undefined, cwd: string): Promise<ReplayPage> {
  if (html === undefined) return { write: async () => {}, discard: async () => {} };
  const file = await openReportFile(resolve(cwd, html), []);
  let isOpen = true;
  return {
    async write(report) {
      await file.handle.writeFile(reportHtml(report));
      isOpen = false;
      await file.keep();
    },
    async discard() {
      if (isOpen) await file.discard();
      isOpen = false;
    },
  };
}
