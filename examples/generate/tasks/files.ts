import type { Call } from '../script/script.ts';
import type { Task, ToolDefinition } from '../script/task.ts';

const TOOLS: readonly ToolDefinition[] = [
  {
    name: 'read_file',
    description: 'Returns a file of the workspace.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
  {
    name: 'write_file',
    description: 'Replaces a file of the workspace.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, text: { type: 'string' } },
      required: ['path', 'text'],
    },
  },
];

const SYSTEM =
  'You edit files in a small workspace. Read before you write, change nothing else, and say when you are done.';

export const TRAILS: Task = {
  id: 'trails-to-km',
  system: SYSTEM,
  prompt: 'trails.csv gives lengths in miles. Write trails_km.csv: the same rows in km, one decimal.',
  groundTruth: 'name,km\nRidge,8.0\nLake,20.0\nSummit,14.0\n',
  tools: TOOLS,
};

export const TIMEOUT: Task = {
  id: 'raise-timeout',
  system: SYSTEM,
  prompt: 'In app.toml, raise timeout_s from 30 to 45.',
  groundTruth: '[server]\nport = 8080\ntimeout_s = 45  # ops: keep under 60\n',
  tools: TOOLS,
};

export const CHANGELOG: Task = {
  id: 'release-notes',
  system: SYSTEM,
  prompt: 'Move the entries under "Unreleased" in CHANGELOG.md to a new section "1.4.0".',
  groundTruth: '# Changes\n\n## Unreleased\n\n## 1.4.0\n- faster start\n- fix: empty paths\n',
  tools: TOOLS,
};

export const TRAILS_CSV = 'name,miles\nRidge,5.0\nLake,12.4\nSummit,8.7\n';
export const APP_TOML = '[server]\nport = 8080\ntimeout_s = 30  # ops: keep under 60\n';
export const CHANGES_MD = '# Changes\n\n## Unreleased\n- faster start\n- fix: empty paths\n';

export function read(path: string, output: string, ms = 14): Call {
  return { name: 'read_file', args: { path }, output, ms };
}

export function write(path: string, text: string, ms = 18): Call {
  return { name: 'write_file', args: { path, text }, output: `wrote ${Buffer.byteLength(text)} bytes`, ms };
}

/** The sandbox died under the call: nothing came back. */
export function crashed(path: string, ms: number): Call {
  return { name: 'read_file', args: { path }, output: null, status: 'sandbox_error', ms };
}
