import type { Taxonomy } from '../../../processors/model/taxonomy.ts';
import { wholeEvent } from '../../audit/whole-event.ts';
import { RollstreamError } from '../../errors.ts';
import { importFiles } from '../../ingest/import-files.ts';
import { gatherRollouts, type RecordedStep } from './gather-rollouts.ts';
import type { RecordedRollout } from './recorded-rollout.ts';
import { stepOfEvent } from './step-of-event.ts';

export interface OutputDeps {
  readonly taxonomy: Taxonomy;
  readonly stdin: AsyncIterable<Buffer>;
  /** What could not be read, one by one. */
  readonly message: (text: string) => void;
}

/** Rollouts of what a stack wrote, as an import would read it; nothing is stored. */
export async function readOutput(
  paths: readonly string[],
  format: string,
  { taxonomy, stdin, message }: OutputDeps,
): Promise<RecordedRollout[]> {
  const steps: RecordedStep[] = [];
  const sink = {
    append: async (events: Parameters<Parameters<typeof importFiles>[2]['append']>[0]) => {
      for (const { event } of events) steps.push(stepOfEvent(wholeEvent(event), taxonomy));
    },
    deadLetter: async () => {},
    sourceEnded: async () => {},
  };
  const report = await importFiles(paths, { format }, sink, { message }, stdin);
  if (report.events === 0)
    throw new RollstreamError('RS_INPUT_REFUSED', `nothing in ${paths.join(', ')} is a rollout of a known format`);
  return gatherRollouts(steps);
}
