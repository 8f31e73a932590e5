import type { Fact, LeaseRecord, ReadyEntry, RunHead } from '../../../processors/model/delivery.ts';
import { encodeStretches, steps } from './runs-of-equals.ts';

/** A record of ready.leases as JSON: maps are lists, so that their order is kept. */
export function encodeLeaseRecord(record: LeaseRecord): Buffer {
  return Buffer.from(JSON.stringify(shapeOf(record)));
}

function shapeOf(record: LeaseRecord): object {
  switch (record.kind) {
    case 'claim':
    case 'indexed':
    case 'wait':
      return record;
    case 'chunk':
      return { ...record, facts: factsShape(record.facts), ...entriesShape(record.run, record.entries) };
    case 'grant':
      return {
        ...record,
        facts: factsShape(record.facts),
        shards: record.shards.map((rank) => rank.map((micro) => steps(micro))),
      };
    case 'fact':
      return {
        ...record,
        facts: factsShape(record.facts),
        lags: encodeStretches(record.lags, (lag) => lag),
        match: record.match === null ? null : matchShape(record.match),
      };
    case 'seal':
      return { ...record, facts: factsShape(record.facts), lags: encodeStretches(record.lags, (lag) => lag) };
    case 'rewind':
      return { ...record, facts: factsShape(record.facts) };
    case 'fork':
      return {
        ...record,
        facts: factsShape(record.facts),
        ...entriesShape(record.run, record.entries),
        head: headShape(record.head),
      };
    case 'head':
      return { ...record, head: headShape(record.head) };
  }
}

function factsShape(facts: ReadonlyMap<number, Fact>): unknown {
  return encodeStretches(facts, ({ state, lineage, step, lease, count }) => [state, lineage, step, lease, count]);
}

/** NaN and the infinities, which a trainer that diverges has, are no JSON: as text. */
function matchShape({
  kl,
  maxLogprobDiff,
  clippedShare,
}: {
  readonly kl: number | null;
  readonly maxLogprobDiff: number | null;
  readonly clippedShare: number | null;
}): unknown {
  const measured = (value: number | null) => (value === null || Number.isFinite(value) ? value : String(value));
  return [measured(kl), measured(maxLogprobDiff), measured(clippedShare)];
}

/** Names of weights stand once, by number in the entries. */
function entriesShape(run: string, entries: readonly ReadyEntry[]): { entries: unknown; versions: readonly string[] } {
  const versions = new Map<string, number>();
  const numberOf = (version: string): number => {
    const known = versions.get(version) ?? versions.size;
    versions.set(version, known);
    return known;
  };
  const rows = entries.map((entry) => [
    entry.offset,
    entry.run === run ? null : entry.run,
    entry.group === entry.unit ? null : entry.group,
    entry.size,
    entry.unit,
    entry.rollout,
    entry.attempt,
    entry.tokens,
    entry.versions.map(numberOf),
    entry.readyAtMs,
    ...(entry.replay === undefined ? [] : [entry.replay, entry.again === true]),
  ]);
  return { entries: rows, versions: [...versions.keys()] };
}

function headShape(head: RunHead): object {
  return {
    ...head,
    cuts: [...head.cuts],
    seals: head.seals.map(({ lineage, step }) => [lineage, step]),
    last: [...head.last].map(([name, [index, attempt]]) => [name, index, attempt]),
    inherited: [...head.inherited].map(([name, { lineage, step, ordinal }]) => [name, lineage, step, ordinal]),
    counts: [...head.counts],
  };
}
