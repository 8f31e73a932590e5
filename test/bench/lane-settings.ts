import { loadConfig } from '../../src/config/load.ts';
import type { LaneSettings } from '../../src/lanes/lane-settings.ts';

/** As a user has them who configures nothing. */
export function defaultLaneSettings(): LaneSettings {
  return loadConfig({ env: {}, cwd: '.', flags: {} }).lanes;
}
