import { eventOfJson } from '../event-json.ts';
import { type Importer, refusable } from '../importer.ts';

const FORMAT = 'rollstream';

/** StepEvents as JSON Lines, snake_case, arrays unpacked; one event a line. */
export const rollstream: Importer = {
  name: FORMAT,

  detect(first) {
    const isEvent = first.some((line) => line.rollout_id !== undefined && typeof line.kind === 'string');
    return isEvent ? { score: 1, why: 'lines with kind and rollout_id: step events' } : null;
  },

  interleaved: true,

  open: ({ runId, groupSize, overrides }) => ({
    take: (line) =>
      refusable(() => [
        eventOfJson(line, {
          ...{ runId, groupSize, overrides, format: FORMAT, producerId: `import:${FORMAT}` },
          location: line.location,
        }),
      ]),
  }),
};
