import { schemaIdOf } from '../../../processors/decode/wire-format.ts';
import type { DocumentIds } from '../../../processors/model/control.ts';
import type { Outcome } from '../../../processors/model/outcome.ts';
import type { Decoded } from '../../../processors/model/record.ts';
import type { UnitHistory } from '../../../processors/model/replay.ts';
import type { StepEvent } from '../../../schemas/generated/step-event.ts';
import type { Broker, LogRecord } from '../../broker/port.ts';
import type { Store } from '../../clickhouse/port.ts';
import { createOneAtATime } from '../../one-at-a-time.ts';
import { checkCondition } from '../check-condition.ts';
import type { RefusedRollouts, ReplayChunk, ReplayPlan, ReplaySource } from '../replay-source.ts';
import { completeUnits, type LoggedUnit, weightOf } from './complete-units.ts';
import { decodeRecord } from './decode-record.ts';
import { readStretch } from './index-log.ts';
import { cutLogUnits, findLogUnits, type LogUnits, offsetsOf } from './log-units.ts';
import { endOf, readOwnedBounds } from './owned-bounds.ts';
import { chunkLimits } from './plan-chunks.ts';
import { readLaneHistory } from './read-controls.ts';
import { checkPlaces, isPartitionIn, type PartitionScope } from './scope-sql.ts';
import type { StoreScope } from './store-scope.ts';

export interface LogSourceDeps {
  readonly broker: Broker;
  /** What was decided, findings and verdicts that came afterwards are in the store alone. */
  readonly store: Pick<Store, 'queryAsReader' | 'openBulkReader'>;
  readonly topic: string;
  readonly partitions: number;
  readonly request: StoreScope;
  readonly override: Partial<DocumentIds>;
  /** As the lane decodes: by the schemas of the registry; never throws. */
  readonly decodeEvent: (value: Buffer) => Outcome<StepEvent>;
  /** Loads schemas before they are used. */
  readonly prepare: (ids: Iterable<number>) => Promise<void>;
  /** Of a chunk at most, but for its last unit; absent: see chunkLimits. */
  readonly chunkEvents?: number;
  readonly log: (message: string) => void;
}

/** Units that the store is asked about at once, and the characters that name them. */
const ASKED = { units: 500, characters: 80_000 };

/**
 * Events of a replay out of the log, read twice: first where each key ends, then units, each when its last record has passed, so
 * that only open units are in memory. Units that the log does not hold whole are refused by name.
 */
export function createLogSource(deps: LogSourceDeps): ReplaySource {
  const { broker, store, topic, partitions, request, override, decodeEvent, prepare, log } = deps;
  const ofTokens = chunkLimits(true);
  const limits = { ...ofTokens, events: deps.chunkEvents ?? ofTokens.events };
  const opening = store.openBulkReader();
  // (Asked for where it is used: nobody may be waiting yet.)
  opening.catch(() => undefined);
  const oneAtATime = createOneAtATime();
  /** By partition: of a replay that goes on they are found again, and are the same. */
  const indexed = new Map<number, Promise<LogUnits>>();

  async function scopeOf(partition: number, ends: readonly number[] | null): Promise<PartitionScope> {
    const bounds = (await readOwnedBounds(await opening, topic))(partition);
    return { topic, partition, bounds, end: ends?.[partition] ?? endOf(bounds) };
  }

  async function unitsOf(of: PartitionScope): Promise<LogUnits> {
    const known = indexed.get(of.partition);
    if (known !== undefined) return known;
    const found = findLogUnits(broker, await opening, of, request);
    indexed.set(of.partition, found);
    return found;
  }

  async function decodeAll(records: readonly LogRecord[]): Promise<Decoded[]> {
    const ids = new Set<number>();
    for (const { value } of records) {
      const id = value === null ? null : schemaIdOf(value);
      if (typeof id === 'number') ids.add(id);
    }
    await prepare(ids);
    return records.flatMap((record) => decodeRecord(record, decodeEvent, partitions) ?? []);
  }

  async function plan(): Promise<ReplayPlan> {
    checkPlaces(request);
    if (request.where !== null) await checkCondition(store, request.where);
    const ends: number[] = [];
    const chunks: ReplayChunk[] = [];
    const refused: RefusedRollouts[] = [];
    for (let partition = 0; partition < partitions; partition++) {
      const of = await scopeOf(partition, null);
      ends.push(of.end);
      if (!isPartitionIn(request, partition)) continue;
      indexed.delete(partition);
      const found = await unitsOf(of);
      refused.push(...found.refused);
      for (const chunk of cutLogUnits(partition, found.spans, limits)) chunks.push({ chunk: chunks.length, ...chunk });
    }
    log(`${chunks.reduce((sum, { units }) => sum + units, 0)} units of the log in ${chunks.length} pieces`);
    return { ends, chunks, refused };
  }

  async function* read({ ends }: ReplayPlan, chunk: ReplayChunk): AsyncGenerator<UnitHistory> {
    const of = await oneAtATime(() => scopeOf(chunk.partition, ends));
    const { spans } = await oneAtATime(() => unitsOf(of));
    const { begin, from, to } = offsetsOf(chunk);
    const open = new Map<string, LogRecord[]>();
    let ended: LoggedUnit[] = [];
    let characters = 0;
    const take = async (): Promise<UnitHistory[]> => {
      const units = ended;
      [ended, characters] = [[], 0];
      return units.length === 0 ? [] : oneAtATime(async () => completeUnits(await opening, of, request, units));
    };
    for await (const records of readStretch(broker, { topic, partition: chunk.partition, from: begin, end: to + 1 }))
      for (const record of records) {
        const unit = record.key?.toString('latin1') ?? '';
        const last = spans.get(unit)?.last ?? -1;
        if (last < from || last > to) continue;
        const held = open.get(unit) ?? [];
        open.set(unit, held);
        held.push(record);
        if (record.offset !== last) continue;
        open.delete(unit);
        const whole = { unit, records: await decodeAll(held) };
        // Not a unit: nothing of it could be read.
        if (whole.records.length === 0) continue;
        ended.push(whole);
        characters += weightOf(whole);
        if (ended.length >= ASKED.units || characters >= ASKED.characters) yield* await take();
      }
    yield* await take();
  }

  return {
    plan: () => oneAtATime(plan),
    laneHistory: ({ ends }, partition) =>
      oneAtATime(async () => readLaneHistory(await opening, await scopeOf(partition, ends), override)),
    read,
    async close() {
      await (await opening).close();
    },
  };
}
