import type { ImportContext } from './importer.ts';
import type { InputFile } from './input-files.ts';

export interface Reading {
  readonly file: InputFile;
  readonly rows: ImportContext['rows'];
}

const ROLLOUTS = /(\.jsonl(?:\.gz)?)$/;
const SIDECAR = /_failures(\.jsonl(?:\.gz)?)$/;

/**
 * Order of reading. Attempts have to come in rising order, and failures have a file of their own: those that number their
 * attempt are read before the rollouts they led to. Those that do not (older versions) come after: they would take the
 * place of the rollout that succeeded under the same number.
 */
export function importPlan(files: readonly InputFile[]): Reading[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const plan: Reading[] = [];
  for (const file of files) {
    if (byPath.has(rolloutsOf(file.path) ?? '')) continue;
    const sidecar = byPath.get(sidecarOf(file.path) ?? '');
    if (sidecar) plan.push({ file: sidecar, rows: 'numbered' });
    plan.push({ file, rows: 'all' });
    if (sidecar) plan.push({ file: sidecar, rows: 'unnumbered' });
  }
  return plan;
}

function rolloutsOf(path: string): string | null {
  return SIDECAR.test(path) ? path.replace(SIDECAR, '$1') : null;
}

function sidecarOf(path: string): string | null {
  return ROLLOUTS.test(path) ? path.replace(ROLLOUTS, '_failures$1') : null;
}
