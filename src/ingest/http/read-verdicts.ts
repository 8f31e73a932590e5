import { RollstreamError } from '../../errors.ts';
import { eventOfJson } from '../event-json.ts';
import type { JsonObject } from '../exact-number.ts';
import { Refused, shown } from '../fields.ts';
import { refusable } from '../importer.ts';
import type { SourceLine } from '../line-reader.ts';
import { type ReadRecord, readRecord } from '../read-record.ts';
import type { CaughtUp } from './caught-up.ts';
import { type FindRollouts, rolloutName, type StartedAttempt } from './find-rollouts.ts';
import { type ReadStep, runOf } from './read-step.ts';
import type { StepEncoder } from './step-encoder.ts';
import { type VerdictRequest, verdictRequest } from './verdict-request.ts';

export interface ReadVerdictsDeps {
  readonly encoder: StepEncoder;
  readonly findRollouts: FindRollouts;
  readonly caughtUp: CaughtUp;
  /** Whether the sender may write to this run: of others nothing is looked up, and nobody waits for it. */
  readonly isTaken: (run: string) => boolean;
}

/** Verdicts whose rollouts are looked up together: a statement has a limit. */
const AT_ONCE = { verdicts: 256, bytes: 64 * 1024 };

type Read = Extract<ReadRecord, { value: unknown }>;
type Asked = { readonly source: SourceLine } & (
  | { readonly refused: ReadStepRefusal; readonly run: string | null }
  | { readonly request: VerdictRequest; readonly read: Read }
);
type ReadStepRefusal = Extract<ReadStep, { refused: unknown }>['refused'];

/**
 * Verdicts as events, each with the attempt that it is about. Where the request leaves that open, the table says which is the
 * latest, but only once it has seen all that is on the log: a start that was accepted a moment ago counts, and a verdict never
 * goes to the attempt before it.
 */
export async function* readVerdicts(
  records: AsyncIterable<SourceLine>,
  deps: ReadVerdictsDeps,
): AsyncGenerator<ReadStep> {
  let some: Asked[] = [];
  let bytes = 0;
  for await (const source of records) {
    some.push(askedOf(source));
    bytes += source.length;
    if (some.length < AT_ONCE.verdicts && bytes < AT_ONCE.bytes) continue;
    yield* resolved(some, deps);
    some = [];
    bytes = 0;
  }
  yield* resolved(some, deps);
}

function askedOf(source: SourceLine): Asked {
  const read = readRecord(source);
  if ('refused' in read) return { source, run: null, refused: read.refused };
  let request: VerdictRequest | null = null;
  const taken = refusable(() => {
    request = verdictRequest(read.value);
    return [];
  });
  if ('refused' in taken || request === null)
    return { source, run: runOf(read.value), refused: 'refused' in taken ? taken.refused : NOTHING };
  return { source, request, read };
}

const NOTHING = { field: '', expected: 'a verdict', got: 'nothing', message: 'no verdict' };

async function* resolved(some: readonly Asked[], deps: ReadVerdictsDeps): AsyncGenerator<ReadStep> {
  const isLookedUp = (request: VerdictRequest): boolean => isOpen(request) && deps.isTaken(request.run_id);
  const open = some.flatMap((asked) => ('request' in asked && isLookedUp(asked.request) ? [asked.request] : []));
  const found = open.length === 0 ? new Map<string, readonly StartedAttempt[]>() : await lookUp(open, deps);
  for (const asked of some) {
    const { source } = asked;
    if ('refused' in asked) {
      yield { source, run: asked.run, refused: asked.refused };
      continue;
    }
    const known = found.get(rolloutName(asked.request)) ?? [];
    const taken = refusable(() => [eventOf(asked.request, known, { ...asked.read, sha256: source.sha256 })]);
    const run = asked.request.run_id;
    if ('refused' in taken) yield { source, run, refused: asPosted(taken.refused) };
    else for (const event of taken.events) yield { source, run, record: deps.encoder.recordOf(event) };
  }
}

function isOpen({ attempt, group_id }: VerdictRequest): boolean {
  return attempt === null || group_id === undefined;
}

async function lookUp(open: readonly VerdictRequest[], { findRollouts, caughtUp }: ReadVerdictsDeps) {
  if (!(await caughtUp())) {
    const message =
      'which attempts have started is not known yet, since the lanes are behind: send it again, or with group_id and attempt';
    throw new RollstreamError('RS_BUSY', message, { facts: { field: 'attempt' } });
  }
  return findRollouts(open);
}

function eventOf(request: VerdictRequest, known: readonly StartedAttempt[], read: Read & { readonly sha256: string }) {
  const { run_id, rollout_id, epoch, rest } = request;
  const about = aboutOf(request, known);
  const value = { run_id, epoch, rollout_id, ...about, kind: 'verdict', ...rest };
  return eventOfJson(
    { value, sha256: read.sha256, duplicateKeys: read.duplicateKeys },
    {
      ...{ runId: null, producerId: 'http', format: 'http' },
      ...{ location: null, groupSize: null, overrides: {} },
    },
  );
}

function aboutOf({ rollout_id, attempt, group_id }: VerdictRequest, known: readonly StartedAttempt[]): JsonObject {
  if (attempt !== null && group_id !== undefined) return { attempt, group_id };
  const candidates = group_id === undefined ? known : known.filter((one) => one.group_id === group_id);
  const latest = candidates.at(-1);
  if (latest === undefined) {
    const isElsewhere = known.length > 0;
    const expected = isElsewhere ? `the group that it is in: ${groupsOf(known)}` : 'a rollout that has started';
    const field = isElsewhere ? 'group_id' : 'rollout_id';
    const got = shown(isElsewhere ? (group_id ?? null) : rollout_id);
    const advice = isElsewhere ? '' : ', or group_id and attempt beside it';
    throw new Refused(field, expected, got, `expected ${expected}${advice}, got ${got}`);
  }
  if (candidates.some((one) => one.group_id !== latest.group_id)) {
    throw new Refused('group_id', `one of ${groupsOf(known)}, since the rollout is in each of them`, 'nothing');
  }
  const { env_name, task_id } = latest;
  return { env_name, task_id, group_id: latest.group_id, attempt: attempt ?? latest.attempt };
}

function groupsOf(known: readonly StartedAttempt[]): string {
  return [...new Set(known.map((one) => shown(one.group_id)))].slice(0, 10).join(', ');
}

/** Fields by the names under which they were posted. */
function asPosted(refused: ReadStepRefusal): ReadStepRefusal {
  const named = (text: string) => text.replace(/^verdict\.report_json/, 'report').replace(/^verdict\./, '');
  return { ...refused, field: named(refused.field), message: named(refused.message) };
}
