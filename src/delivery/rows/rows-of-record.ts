import type { Fact, Facts, Grant, LeaseRecord, ReadyEntry, Signature } from '../../../processors/model/delivery.ts';
import type { DeliveryRow } from '../../clickhouse/tables/deliveries.ts';
import type { DeliveryLeaseRow } from '../../clickhouse/tables/delivery-leases.ts';
import type { LineageRow } from '../../clickhouse/tables/lineages.ts';
import type { DeliveryRows } from './delivery-rows.ts';
import { noRows } from './delivery-rows.ts';
import type { GrantsByLease } from './grants-by-lease.ts';

/** undefined: it is not known, since it is final or the log has lost it. */
export type EntryOf = (offset: number) => ReadyEntry | undefined;
/** The rows of the records that count, in their order. */
export type RowsOfRecord = (record: LeaseRecord, entryOf: EntryOf) => DeliveryRows;

type Chunk = Extract<LeaseRecord, { kind: 'chunk' }>;
type Fork = Extract<LeaseRecord, { kind: 'fork' }>;

/** Rows depend on the records alone: read again by whoever takes over, they are the same rows. */
export function createRowsOfRecord(grants: GrantsByLease): RowsOfRecord {
  /** Of forks too large for one record, by run; they count with the fork. */
  const pieces = new Map<string, Chunk[]>();

  const factRows = (record: LeaseRecord & { readonly run: string }, facts: Facts, entryOf: EntryOf): DeliveryRow[] =>
    [...facts].flatMap(([offset, fact]) => {
      const entry = entryOf(offset);
      if (entry === undefined) return [];
      // What was found too old, or was delivered too often, belongs to no lease: who had it last is told none the less.
      const grant = fact.lease === '' ? grants.lastOf(record.run, offset) : grants.of(fact.lease);
      return [rowOf(record, entry, fact, grant)];
    });

  const ended = (record: LeaseRecord, facts: Facts, entryOf: EntryOf): DeliveryLeaseRow[] => {
    const byLease = new Map<string, Fact>();
    for (const fact of facts.values()) if (fact.lease !== '') byLease.set(fact.lease, fact);
    return [...byLease].flatMap(([lease, { state, step }]) => {
      const grant = grants.of(lease);
      if (grant === undefined) return [];
      const row = leaseRow(grant, record, entryOf);
      return row === null
        ? []
        : [{ ...row, endedAtMs: record.at, ended_how: state, step: state === 'trained' ? step : null }];
    });
  };

  const forkRows = (record: Fork): DeliveryRows => {
    const chunks = (pieces.get(record.run) ?? []).filter(({ piece }) => piece === record.piece);
    pieces.delete(record.run);
    const parts = record.piece === null ? [record] : [...chunks, record];
    const deliveries = parts.flatMap(({ entries, facts }) =>
      entries.map((entry) => rowOf(record, entry, facts.get(entry.offset) ?? QUEUED, undefined)),
    );
    return { ...noRows(), deliveries, lineages: [forkRow(record)] };
  };

  return function rowsOfRecord(record, entryOf) {
    switch (record.kind) {
      case 'claim':
      case 'indexed':
      case 'wait':
      case 'head':
        return noRows();
      case 'chunk':
        if (record.piece !== null) pieces.set(record.run, [...(pieces.get(record.run) ?? []), record]);
        return noRows();
      case 'grant': {
        grants.note(record);
        const lease = leaseRow(record, record, entryOf);
        return {
          ...noRows(),
          deliveries: factRows(record, record.facts, entryOf),
          leases: lease === null ? [] : [lease],
        };
      }
      case 'fact': {
        const deliveries = factRows(record, record.facts, entryOf).map((row) => ({
          ...row,
          reason: record.reason,
          weights_version: row.state === 'trained' ? (record.version ?? '') : '',
          lag: record.lags.get(row.ready_offset) ?? null,
        }));
        const leases = ended(record, record.facts, entryOf);
        grants.end(record);
        return { ...noRows(), deliveries, leases, matches: matchRows(record, deliveries) };
      }
      case 'seal':
      case 'rewind': {
        const deliveries = factRows(record, record.facts, entryOf).map((row) => ({
          ...row,
          lag: record.kind === 'seal' ? (record.lags.get(row.ready_offset) ?? null) : null,
        }));
        const leases = ended(record, record.facts, entryOf);
        grants.end(record);
        const isNamed = record.kind === 'rewind' || !record.isFloor;
        return { ...noRows(), deliveries, leases, lineages: isNamed ? [lineageRow(record)] : [] };
      }
      case 'fork':
        return forkRows(record);
    }
  };
}

/** Weights sampled it that are no more. */
export const DISCARDED = 'discarded_lineage';
const QUEUED: Fact = { state: 'queued', lineage: 0, step: 0, lease: '', count: 0 };
/** A claim has fewer records than this. */
const CLAIM_SHIFT = 40n;

function versionOf({ claim, seq }: Signature): bigint {
  return (BigInt(claim) << CLAIM_SHIFT) + BigInt(seq);
}

/** `run/epoch/g/group`: the run is percent-encoded. */
function epochOf(unit: string): number {
  const epoch = Number(unit.split('/')[1]);
  return Number.isSafeInteger(epoch) ? epoch : 0;
}

export function rowOf(
  record: Signature & { readonly run: string },
  entry: ReadyEntry,
  fact: Fact,
  grant: Grant | undefined,
): DeliveryRow {
  const isLeased = fact.state === 'leased';
  return {
    run_id: record.run,
    epoch: epochOf(entry.unit),
    unit: entry.unit,
    rollout_id: entry.rollout,
    attempt: entry.attempt,
    replay_id: entry.replay ?? '',
    ready_offset: entry.offset,
    state: fact.state,
    lease_id: fact.lease,
    lineage: fact.lineage,
    step: fact.state === 'trained' ? fact.step : null,
    consumer: grant?.consumer ?? '',
    // What a checkpoint vouches for has no count of its own.
    deliveries: Math.max(fact.count, grant?.facts.get(entry.offset)?.count ?? 0),
    // Only of what a fork took over is it not said in the record.
    reason: fact.state === 'trainer_rejected' && fact.lease === '' ? DISCARDED : '',
    weights_version: '',
    lag: null,
    tokens: entry.tokens,
    deadlineMs: isLeased ? (grant?.deadline ?? null) : null,
    readyAtMs: entry.readyAtMs,
    takenAtMs: grant?.grantedAtMs ?? null,
    endedAtMs: isLeased || (fact.lease === '' && grant === undefined) ? null : record.at,
    waitedMs: grant?.waitedMs ?? null,
    atMs: record.at,
    version: versionOf(record),
  };
}

/** null: of some entry nothing is known any more, and what the row says of all of them stands there already. */
function leaseRow(grant: Grant, record: LeaseRecord, entryOf: EntryOf): DeliveryLeaseRow | null {
  let tokens = 0;
  for (const offset of grant.facts.keys()) {
    const entry = entryOf(offset);
    if (entry === undefined) return null;
    tokens += entry.tokens;
  }
  const [name, index, attempt] = grant.key;
  return {
    run_id: grant.run,
    lease_id: grant.lease,
    lineage: grant.lineage,
    consumer: grant.consumer,
    key_name: name,
    key_index: index,
    key_try: attempt,
    dp: grant.dp,
    unit: grant.unit,
    trajectories: grant.facts.size,
    tokens,
    waitedMs: grant.waitedMs,
    grantedAtMs: grant.grantedAtMs,
    deadlineMs: grant.deadline,
    endedAtMs: null,
    ended_how: '',
    step: null,
    version: versionOf(record),
  };
}

function matchRows(record: Extract<LeaseRecord, { kind: 'fact' }>, rows: readonly DeliveryRow[]) {
  const { match } = record;
  if (match === null) return [];
  return rows.map(({ run_id, epoch, unit, rollout_id, attempt, lineage, step, atMs, version }) => ({
    ...{ run_id, epoch, unit, rollout_id, attempt, atMs, version },
    lineage: lineage === 0 ? '' : String(lineage),
    step: step ?? 0,
    kl: match.kl,
    max_logprob_diff: match.maxLogprobDiff,
    clipped_share: match.clippedShare,
  }));
}

function lineageRow(record: Extract<LeaseRecord, { kind: 'seal' | 'rewind' }>): LineageRow {
  const { run, kind, lineage, step, at } = record;
  return {
    ...{ run_id: run, kind, lineage, step, atMs: at, version: versionOf(record) },
    of_lineage: record.kind === 'rewind' ? record.of : lineage,
    request: record.kind === 'rewind' ? record.request : '',
    parent: '',
    inherited: 0,
    finals: {},
    versions: 0,
  };
}

function forkRow(record: Fork): LineageRow {
  const { run, parent, of, head, at } = record;
  const ordinals = [...head.inherited.values()].map(({ ordinal }) => ordinal);
  return {
    run_id: run,
    kind: 'fork',
    lineage: 0,
    of_lineage: of,
    step: head.seals.at(-1)?.step ?? 0,
    request: head.forked ?? '',
    parent,
    inherited: head.inheritedCount,
    finals: Object.fromEntries(head.counts),
    versions: ordinals.reduce((most, ordinal) => Math.max(most, ordinal + 1), 0),
    atMs: at,
    version: versionOf(record),
  };
}
