import type { GoneRuns } from '../delivery/gone-runs.ts';
import type { RunRegistry } from './registry.ts';

/** What delivery has to know of deleted runs. */
export function goneRunsOf(registry: RunRegistry): GoneRuns {
  return {
    isGone(run) {
      if (!registry.hasClosed()) return false;
      const state = registry.stateOf(run);
      return state === 'deleting' || state === 'deleted';
    },
    *below() {
      for (const { run_id, ready_below } of registry.rows()) if (ready_below > 0) yield [run_id, ready_below] as const;
    },
    onChange: registry.onChange,
  };
}
