import type { JsonObject } from './exact-number.ts';
import type { Detection, Importer } from './importer.ts';
import { a2e } from './importers/a2e.ts';
import { atif } from './importers/atif.ts';
import { miniSweAgent } from './importers/mini-swe-agent.ts';
import { nemoGym } from './importers/nemo-gym.ts';
import { nemoRl } from './importers/nemo-rl.ts';
import { otlp } from './importers/otlp.ts';
import { rollstream } from './importers/rollstream.ts';
import { skyrl } from './importers/skyrl.ts';
import { slime } from './importers/slime.ts';
import { strandsEnv } from './importers/strands-env.ts';
import { sweAgent } from './importers/swe-agent.ts';
import { verifiers } from './importers/verifiers.ts';
import { verifiersV1 } from './importers/verifiers-v1.ts';

/** Formats that can be imported, by name. */
export const IMPORTERS: readonly Importer[] = [
  a2e,
  atif,
  strandsEnv,
  nemoGym,
  nemoRl,
  otlp,
  skyrl,
  slime,
  sweAgent,
  miniSweAgent,
  verifiers,
  verifiersV1,
  rollstream,
];

export function importerNamed(name: string): Importer | undefined {
  return IMPORTERS.find((importer) => importer.name === name);
}

/** The importer that knows these lines best, and what it saw; null: none does. */
export function detectFormat(
  first: readonly JsonObject[],
  path: string,
): (Detection & { readonly importer: Importer }) | null {
  let best: (Detection & { readonly importer: Importer }) | null = null;
  for (const importer of IMPORTERS) {
    const found = importer.detect(first, path);
    if (found !== null && (best === null || found.score > best.score)) best = { ...found, importer };
  }
  return best;
}
