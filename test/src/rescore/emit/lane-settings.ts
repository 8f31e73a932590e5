import type { LaneSettings } from '../../../../src/lanes/lane-settings.ts';

/** Of a pipeline with this prefix, under the shipped policy. */
export function laneSettings(topicPrefix: string): LaneSettings {
  return {
    ...{ partitions: 1, topicPrefix, reorderEvents: 256, inFlightBytes: 1 << 26 },
    deadlines: { gapMs: 1, orphanMs: 1, verdictMs: 1, idleMs: 1, groupMs: 1, lifetimeMs: 1 },
    flush: { intervalMs: 1_000, maxBytes: 1 << 20, maxRows: 1_000 },
  };
}
