import { RollstreamError } from '../errors.ts';
import { checkedReplayId } from '../rescore/read-replay-request.ts';
import type { GlobalFlags } from './global-flags.ts';

export interface ReplayFlags extends GlobalFlags {
  readonly run?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly where?: string;
  readonly policy?: string;
  readonly taxonomy?: string;
  readonly verifier?: string;
  readonly scorer?: string;
  readonly verifierVersion?: string;
  /** Of one answer, ms. */
  readonly timeout?: number;
  readonly concurrency?: number;
  readonly verdicts?: string;
  readonly audits?: boolean;
  readonly source: 'store' | 'log';
  readonly late: 'use' | 'ignore';
  readonly against?: string;
  readonly dryRun?: boolean;
  readonly save?: boolean;
  /** true: the ready topic. */
  readonly emit?: true | string;
  readonly again?: boolean;
  readonly stale?: 'leave-out' | 'emit';
  readonly unchanged?: 'leave-out' | 'emit';
  readonly label?: string;
  readonly html?: string;
  readonly resume?: string;
  readonly list?: boolean;
  readonly status?: string;
  readonly report?: string;
  readonly cancel?: string;
}

/** What is asked: one of these, or a replay. */
const OTHERS = ['resume', 'list', 'status', 'report', 'cancel'] as const;

const OF_A_REPLAY = [
  ...['run', 'from', 'to', 'where', 'policy', 'taxonomy', 'verifier', 'verdicts', 'audits', 'against'],
  ...['dryRun', 'save', 'emit', 'label', 'again', 'stale', 'unchanged', 'scorer', 'verifierVersion', 'timeout'],
  'concurrency',
] as const satisfies readonly (keyof ReplayFlags)[];

/** Refuses flags that contradict each other, and wishes that nobody would hear. */
export function checkReplayFlags(flags: ReplayFlags): void {
  const asked = OTHERS.filter((name) => flags[name] !== undefined);
  const [first] = asked;
  if (asked.length > 1) throw usage(`${asked.map(flagOf).join(' and ')}: one of them`);
  const id = first === undefined ? undefined : flags[first];
  if (first !== undefined && typeof id === 'string') checkedReplayId(id, first);
  const beside = OF_A_REPLAY.find((name) => flags[name] !== undefined);
  if (first !== undefined && beside !== undefined)
    throw usage(`${flagOf(first)} takes no ${flagOf(beside)}: that is of a replay that is begun`);
  if (flags.html !== undefined && first !== undefined && first !== 'resume' && first !== 'report')
    throw usage(`${flagOf(first)} takes no --html`);
  if (flags.dryRun === true && (flags.save === true || flags.emit !== undefined))
    throw usage(`--dry-run writes nothing, ${flags.save === true ? '--save' : '--emit'} does: one of them`);
  if (flags.emit === undefined)
    for (const name of ['again', 'stale', 'unchanged'] as const)
      if (flags[name] !== undefined) throw usage(`${flagOf(name)} says what --emit does, which is not there`);
  if (flags.verifier !== undefined && flags.verdicts !== undefined)
    throw usage('--verifier and --verdicts: one of them');
  if (flags.verifier === undefined)
    for (const name of ['scorer', 'verifierVersion', 'timeout', 'concurrency'] as const)
      if (flags[name] !== undefined) throw usage(`${flagOf(name)} is of a --verifier, which is not there`);
}

function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function usage(message: string): RollstreamError {
  return new RollstreamError('RS_USAGE', message);
}
