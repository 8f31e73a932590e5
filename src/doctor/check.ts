import { RollstreamError } from '../errors.ts';

/** `unknown`: it could not be found out, and that is no fault. */
export type CheckStatus = 'ok' | 'fail' | 'unreachable' | 'unknown';

/** One line of `rollstream doctor`. */
export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  /** What was found. */
  readonly detail: string;
  /** What to do; '' where nothing has to be done. */
  readonly fix: string;
}

/** A fault that a check found by itself. */
export class CheckFault extends Error {
  readonly fix: string;
  constructor(detail: string, fix: string) {
    super(detail);
    this.fix = fix;
  }
}

/** Runs one check: what it answers is the detail; an error is a fault with `fix`, or a service that cannot be reached. */
export async function runCheck(name: string, fix: string, work: () => Promise<string>): Promise<Check> {
  try {
    return { name, status: 'ok', detail: await work(), fix: '' };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    if (error instanceof CheckFault) return { name, status: 'fail', detail, fix: error.fix };
    const isOut = error instanceof RollstreamError && /_UNREACHABLE$/.test(error.code);
    return { name, status: isOut ? 'unreachable' : 'fail', detail, fix };
  }
}
