import {
  type Decision,
  type Fact,
  type LeaseRecord,
  READY_STATES,
  type ReadyEntry,
  type RunHead,
  type Shards,
  type TrainMatch,
} from '../../../processors/model/delivery.ts';
import { RollstreamError } from '../../errors.ts';
import { flagOf, listOf, Malformed, numberOf, objectOf, oneOf, orNull, rowOf, textOf, wholeOf } from './json-parts.ts';
import { decodeStretches, offsetsOf } from './runs-of-equals.ts';

const KINDS = ['claim', 'indexed', 'chunk', 'grant', 'wait', 'fact', 'seal', 'rewind', 'fork', 'head'] as const;
const UNITS = ['rollout', 'group'] as const;

/** Refuses what it cannot read, naming the offset: what was granted may not be forgotten, so nothing is skipped. */
export function decodeLeaseRecord(value: Buffer, at: { readonly topic: string; readonly offset: number }): LeaseRecord {
  try {
    const shape = objectOf(JSON.parse(value.toString('utf8')));
    const { claim, by, seq, at: atMs } = shape;
    return { claim: wholeOf(claim), by: textOf(by), seq: wholeOf(seq), at: numberOf(atMs), ...decisionOf(shape) };
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const what = `the record at offset ${at.offset} of ${at.topic} cannot be read by this version: ${why}`;
    throw new RollstreamError('RS_LOG_DAMAGED', what, { cause, facts: { topic: at.topic, offset: at.offset } });
  }
}

type Shape = Readonly<Record<string, unknown>>;

function decisionOf(shape: Shape): Decision {
  const kind = oneOf(KINDS, shape.kind);
  if (kind === 'claim') return { kind, url: textOf(shape.url) };
  if (kind === 'indexed') return { kind, offset: wholeOf(shape.offset) };
  const run = textOf(shape.run);
  switch (kind) {
    case 'chunk':
      return {
        kind,
        run,
        entries: entriesOf(shape, run),
        piece: orNull(textOf, shape.piece),
        facts: factsOf(shape.facts),
      };
    case 'wait':
      return { kind, run, keys: listOf(keyOf, shape.keys) };
    case 'head':
      return { kind, run, head: headOf(shape.head) };
    case 'grant':
      return grantOf(shape, run);
    case 'fact':
      return {
        kind,
        run,
        facts: factsOf(shape.facts),
        reason: textOf(shape.reason),
        version: orNull(textOf, shape.version),
        lags: decodeStretches(shape.lags, numberOf),
        match: orNull(matchOf, shape.match),
      };
    case 'seal':
      return {
        kind,
        run,
        facts: factsOf(shape.facts),
        lineage: wholeOf(shape.lineage),
        step: wholeOf(shape.step),
        lags: decodeStretches(shape.lags, numberOf),
        isFloor: flagOf(shape.isFloor),
      };
    case 'rewind':
      return {
        kind,
        run,
        facts: factsOf(shape.facts),
        lineage: wholeOf(shape.lineage),
        of: wholeOf(shape.of),
        step: wholeOf(shape.step),
        request: textOf(shape.request),
      };
    case 'fork':
      return {
        kind,
        run,
        parent: textOf(shape.parent),
        of: wholeOf(shape.of),
        facts: factsOf(shape.facts),
        entries: entriesOf(shape, run),
        head: headOf(shape.head),
        piece: orNull(textOf, shape.piece),
      };
  }
}

function grantOf(shape: Shape, run: string): Decision {
  return {
    kind: 'grant',
    run,
    facts: factsOf(shape.facts),
    lease: textOf(shape.lease),
    lineage: wholeOf(shape.lineage),
    key: keyOf(shape.key),
    dp: wholeOf(shape.dp),
    unit: oneOf(UNITS, shape.unit),
    consumer: textOf(shape.consumer),
    deadline: numberOf(shape.deadline),
    shards: shardsOf(shape.shards),
    grantedAtMs: numberOf(shape.grantedAtMs),
    waitedMs: numberOf(shape.waitedMs),
  };
}

const shardsOf = (value: unknown): Shards => listOf((rank) => listOf(offsetsOf, rank), value);
const factsOf = (value: unknown): Map<number, Fact> => decodeStretches(value, factOf);

function factOf(value: unknown): Fact {
  const [state, lineage, step, lease, count] = rowOf(5, value);
  return {
    state: oneOf(READY_STATES, state),
    lineage: wholeOf(lineage),
    step: wholeOf(step),
    lease: textOf(lease),
    count: wholeOf(count),
  };
}

function keyOf(value: unknown): [string, number, number] {
  const [name, index, attempt] = rowOf(3, value);
  return [textOf(name), wholeOf(index), wholeOf(attempt)];
}

function matchOf(value: unknown): TrainMatch {
  const [kl, maxLogprobDiff, clippedShare] = rowOf(3, value).map((one) =>
    orNull((measured) => (typeof measured === 'string' ? Number(measured) : numberOf(measured)), one),
  );
  return { kl: kl ?? null, maxLogprobDiff: maxLogprobDiff ?? null, clippedShare: clippedShare ?? null };
}

function entriesOf(shape: Shape, owner: string): ReadyEntry[] {
  const names = listOf(textOf, shape.versions);
  const nameOf = (value: unknown): string => {
    const name = names[wholeOf(value)];
    if (name === undefined) throw new Malformed('the number of a version', value);
    return name;
  };
  return listOf((row) => {
    // What a replay emitted says so in two more.
    const isLive = Array.isArray(row) && row.length === 10;
    const parts = rowOf(isLive ? 10 : 12, row);
    const [offset, run, group, size, unit, rollout, attempt, tokens, versions, readyAtMs, replay, again] = parts;
    const unitText = textOf(unit);
    const entry: ReadyEntry = {
      offset: wholeOf(offset),
      run: orNull(textOf, run) ?? owner,
      group: orNull(textOf, group) ?? unitText,
      size: wholeOf(size),
      unit: unitText,
      rollout: textOf(rollout),
      attempt: wholeOf(attempt),
      tokens: wholeOf(tokens),
      versions: listOf(nameOf, versions),
      readyAtMs: numberOf(readyAtMs),
    };
    return isLive ? entry : { ...entry, ...versionOf(textOf(replay), flagOf(again)) };
  }, shape.entries);
}

const versionOf = (replay: string, again: boolean): Pick<ReadyEntry, 'replay' | 'again'> =>
  again ? { replay, again } : { replay };

function headOf(value: unknown): RunHead {
  const head = objectOf(value);
  const pair = (row: unknown): [number, number] => {
    const [a, b] = rowOf(2, row);
    return [wholeOf(a), wholeOf(b)];
  };
  return {
    unit: orNull((unit) => oneOf(UNITS, unit), head.unit),
    lineage: wholeOf(head.lineage),
    request: orNull(textOf, head.request),
    forked: orNull(textOf, head.forked),
    inheritedCount: wholeOf(head.inheritedCount),
    cuts: new Map(listOf(pair, head.cuts)),
    seals: listOf(pair, head.seals).map(([lineage, step]) => ({ lineage, step })),
    floor: wholeOf(head.floor),
    last: new Map(listOf(keyOf, head.last).map(([name, index, attempt]) => [name, [index, attempt]])),
    inherited: new Map(
      listOf((row) => rowOf(4, row), head.inherited).map(([name, lineage, step, ordinal]) => [
        textOf(name),
        { lineage: wholeOf(lineage), step: wholeOf(step), ordinal: wholeOf(ordinal) },
      ]),
    ),
    low: wholeOf(head.low),
    final: listOf(pair, head.final),
    counts: new Map(
      listOf((row) => rowOf(2, row), head.counts).map(([state, count]) => [oneOf(READY_STATES, state), wholeOf(count)]),
    ),
    ...(head.forgot === undefined ? {} : { forgot: wholeOf(head.forgot) }),
  };
}
