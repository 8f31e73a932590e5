import type { InForce } from '../model/control.ts';
import { NO_GATES } from '../model/gate.ts';
import { NO_WEIGHTS } from '../model/weights.ts';
import { pushGates, readGates } from './gates-codec.ts';
import { pushVarint, readVarint } from './varint.ts';
import { pushWeights, readWeights } from './weights-codec.ts';

/** What a lane's commit carries. */
export interface Progress {
  /** Number of the lane's owner. Raised by each restore, so that rows of a dead owner lose. */
  readonly term: number;
  /** First offset that no committed cut has read. */
  readonly frontier: number;
  /** First offset of the oldest open unit, or the frontier: where a restart reads from. Holds: ≤ frontier. */
  readonly watermark: number;
  /** First offset of each open unit. Holds: all in [watermark, frontier). */
  readonly starts: ReadonlySet<number>;
  /** Control values as of the frontier. 1 policy P1 @3, cut, frontier 5; 2 restart: @3 is not read again. */
  readonly inForce: InForce;
  /** The term writes decisions below the frontier, for what the log has lost: they count from the next commit of the term on. */
  readonly isSettling?: boolean;
}

/** Without weights versions; also what builds before them wrote, and can read. */
const WITHOUT_WEIGHTS = 'v1.';
const WITH_WEIGHTS = 'v2.';
const WITH_GATES = 'v3.';
/** Before them. Builds that do not know it must not go on from there. */
const SETTLING = 'settling-';

/**
 * `v1.` + base64url of varints (term, frontier, frontier − watermark, count, delta of each start) and the two document hashes.
 * About 1.5 bytes an open unit: 20 to 40 times less than a bitmap of what is done. `v2.`: then the weights versions.
 * `v3.`: then the gates, and the weights versions if there are any.
 */
export function encodeProgress({ term, frontier, watermark, starts, inForce, isSettling }: Progress): string {
  const bytes: number[] = [];
  pushVarint(bytes, term);
  pushVarint(bytes, frontier);
  pushVarint(bytes, frontier - watermark);
  pushVarint(bytes, starts.size);
  let last = watermark;
  for (const start of [...starts].sort((a, b) => a - b)) {
    pushVarint(bytes, start - last);
    last = start;
  }
  const hashes = Buffer.from(inForce.policy_id + inForce.taxonomy_id, 'hex');
  const tail: number[] = [];
  if (inForce.gates.size > 0) pushGates(tail, inForce.gates);
  if (inForce.weights.size > 0) pushWeights(tail, inForce.weights);
  const version = inForce.gates.size > 0 ? WITH_GATES : tail.length === 0 ? WITHOUT_WEIGHTS : WITH_WEIGHTS;
  const content = Buffer.concat([Buffer.from(bytes), hashes, Buffer.from(tail)]).toString('base64url');
  return (isSettling === true ? SETTLING : '') + version + content;
}

/** null: not written by this version. */
export function decodeProgress(written: string): Progress | null {
  const isSettling = written.startsWith(SETTLING);
  const text = isSettling ? written.slice(SETTLING.length) : written;
  const version = text.slice(0, WITH_WEIGHTS.length);
  if (version !== WITHOUT_WEIGHTS && version !== WITH_WEIGHTS && version !== WITH_GATES) return null;
  const bytes = Buffer.from(text.slice(version.length), 'base64url');
  const cursor = { bytes, at: 0 };
  const term = readVarint(cursor);
  const frontier = readVarint(cursor);
  const watermark = frontier - readVarint(cursor);
  const count = readVarint(cursor);
  if (count > bytes.length) return null;
  const starts = new Set<number>();
  let last = watermark;
  for (let i = 0; i < count; i++) {
    last += readVarint(cursor);
    starts.add(last);
  }
  if (bytes.length - cursor.at < 64 || starts.size !== count || last > frontier || watermark < 0) return null;
  const hash = () => {
    cursor.at += 32;
    return bytes.subarray(cursor.at - 32, cursor.at).toString('hex');
  };
  const ids = { policy_id: hash(), taxonomy_id: hash() };
  const gates = version === WITH_GATES ? readGates(cursor) : NO_GATES;
  const isEnd = version === WITHOUT_WEIGHTS || (version === WITH_GATES && cursor.at === bytes.length);
  const weights = isEnd ? NO_WEIGHTS : readWeights(cursor);
  if (gates === null || weights === null || cursor.at !== bytes.length) return null;
  const progress = { term, frontier, watermark, starts, inForce: { ...ids, weights, gates } };
  return isSettling ? { ...progress, isSettling } : progress;
}
