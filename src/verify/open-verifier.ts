import type { Logger } from 'pino';
import { RollstreamError } from '../errors.ts';
import { openCommandVerifier } from './open-command-verifier.ts';
import { openUrlVerifier } from './open-url-verifier.ts';
import { isReadyMade, readyMadeVerifier } from './ready-made-verifiers.ts';
import { splitCommand } from './split-command.ts';
import type { Verifier } from './verifier.ts';

export interface VerifierSpec {
  /** A command, an http(s) URL, `exact` or `numeric:TOL`. */
  readonly verifier: string;
  /** null: as it says itself, or derived. */
  readonly scorer: string | null;
  readonly version: string | null;
  /** For one answer, start of a process included. */
  readonly timeoutMs: number;
  /** Attempts judged at once: processes of a command. */
  readonly concurrency: number;
}

/** What a person named as verifier, ready to judge; RS_USAGE, RS_CONFIG where it cannot be one. */
export async function openVerifier(
  spec: VerifierSpec,
  { log, path }: { readonly log: Logger; readonly path: string | undefined },
): Promise<Verifier> {
  const { verifier, scorer, version, timeoutMs, concurrency } = spec;
  if (isReadyMade(verifier)) {
    if (version !== null) throw usage('verifier-version', `${verifier} has a version of its own`);
    return readyMadeVerifier(verifier, scorer === null ? {} : { scorer });
  }
  if (/^https?:\/\//i.test(verifier)) {
    if (version === null) throw usage('verifier-version', 'needed for a URL: what it answers is kept under it');
    return openUrlVerifier({ url: verifier, timeoutMs, scorer: scorer ?? 'verifier', version });
  }
  const argv = splitCommand(verifier);
  if (argv.length === 0) throw usage('verifier', 'a command, a URL, exact or numeric:TOL is needed');
  return openCommandVerifier({ argv, processes: concurrency, timeoutMs, scorer, version, log, path });
}

function usage(field: string, message: string): RollstreamError {
  return new RollstreamError('RS_USAGE', `${field}: ${message}`, { facts: { field } });
}
