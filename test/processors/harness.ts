import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { endRebuild } from '../../processors/assemble/open-unit.ts';
import { type Cut, takeCut } from '../../processors/cut/cut.ts';
import { checkLane } from '../../processors/cut/invariants.ts';
import type { Progress } from '../../processors/cut/progress.ts';
import type { Documents } from '../../processors/decide/judge.ts';
import { readPolicy } from '../../processors/decide/policy-schema.ts';
import type { Fits } from '../../processors/decide/record-space.ts';
import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import { frame, HEADER_BYTES } from '../../processors/decode/wire-format.ts';
import type { PastDecision } from '../../processors/model/attempt.ts';
import { type Audits, NO_AUDITS } from '../../processors/model/audit-summary.ts';
import type { InForce } from '../../processors/model/control.ts';
import { type Effects, emptyEffects, type OutRecord } from '../../processors/model/effects.ts';
import { NO_GATES } from '../../processors/model/gate.ts';
import { createLaneState, type LaneState } from '../../processors/model/lane-state.ts';
import { deadLetter, type Outcome, ok } from '../../processors/model/outcome.ts';
import type { InRecord } from '../../processors/model/record.ts';
import type { Parsed } from '../../processors/model/taxonomy.ts';
import { unitOf } from '../../processors/model/unit.ts';
import { NO_WEIGHTS } from '../../processors/model/weights.ts';
import { createPipeline, type Pipeline } from '../../processors/pipeline.ts';
import { readTaxonomy } from '../../processors/taxonomy/read-taxonomy.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { packageFile } from '../../src/config/package-file.ts';

const STEP_EVENT = avroTypeOf(stepEventSchema);
const SCHEMA_ID = 1;

/** The shipped documents, or a policy with a few texts of it replaced. */
export function policyText(...changes: ReadonlyArray<readonly [from: string, to: string]>): string {
  return changes.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`the policy does not say: ${from}`);
      return text.replace(from, to);
    },
    readFileSync(packageFile('processors/decide/policies/default.yaml'), 'utf8'),
  );
}

const TAXONOMY = readFileSync(packageFile('processors/taxonomy/taxonomy.yaml'), 'utf8');
const idOf = (text: string): string => createHash('sha256').update(text).digest('hex');

function accepted<T>(parsed: Parsed<T>): T {
  if (parsed.kind === 'refused') throw new Error(JSON.stringify(parsed.problems));
  return parsed.value;
}

/** Documents by the hash of their text; `inForce` names the first policy. */
export function documentsOf(...policies: readonly string[]): Documents & { readonly inForce: InForce } {
  const texts = policies.length === 0 ? [policyText()] : policies;
  const byId = new Map(texts.map((text) => [idOf(text), accepted(readPolicy(parse(text), idOf(text)))]));
  const taxonomy = accepted(readTaxonomy(parse(TAXONOMY), idOf(TAXONOMY)));
  return {
    inForce: { policy_id: idOf(texts[0] ?? ''), taxonomy_id: taxonomy.id, weights: NO_WEIGHTS, gates: NO_GATES },
    policyOf: (id) => byId.get(id) ?? missing(id),
    taxonomyOf: (id) => (id === taxonomy.id ? taxonomy : missing(id)),
  };
}

const SHIPPED = documentsOf();

function missing(id: string): never {
  throw new Error(`no document ${id}`);
}

/** An event as the log holds it. Append time: one second a record. */
export function recordOf(event: StepEventInit, offset: number, key?: string): InRecord {
  const ownKey = event.kind === 'control' ? (event.control?.deadline?.unit ?? '') : unitOf(identityOf(event));
  return rawRecord(frame(SCHEMA_ID, STEP_EVENT, event), offset, key ?? ownKey);
}

export function rawRecord(value: Buffer | null, offset: number, key = ''): InRecord {
  return { partition: 0, offset, timestampMs: timeOf(offset), key: Buffer.from(key), value, headers: {} };
}

export const timeOf = (offset: number): number => 1_700_000_000_000 + offset * 1000;

function identityOf({ run_id, epoch, group_id, rollout_id }: StepEventInit) {
  return { run_id, epoch: epoch ?? 0, group_id: group_id ?? null, rollout_id };
}

export function decodeEvent(value: Buffer): Outcome<StepEvent> {
  try {
    const { value: event, offset } = STEP_EVENT.decode(value, HEADER_BYTES);
    return offset === value.length ? ok(event) : deadLetter('decode', 'truncated', '', 'a whole event', 'less');
  } catch (error) {
    return deadLetter('decode', 'undecodable', '', 'an event', String(error));
  }
}

export interface LaneOptions {
  readonly documents?: ReturnType<typeof documentsOf>;
  readonly reorderEvents?: number;
  readonly audits?: Audits;
  readonly fits?: Fits;
  /** Restores from this commit. */
  readonly progress?: Progress;
  /** What `decisions` holds, as of the batch that asks. */
  readonly stored?: () => ReadonlyMap<string, readonly PastDecision[]>;
}

export interface TestLane {
  readonly state: LaneState;
  readonly pipeline: Pipeline;
  /** Next offset. */
  position(): number;
  /** Folds events in one batch, each at the next offset. The relations of the lane are checked after it. */
  fold(...events: readonly StepEventInit[]): void;
  foldRecords(records: readonly InRecord[]): void;
  cut(): Cut;
  /** All effects since the lane began, those of cuts included. */
  effects(): Effects;
}

export function createTestLane(options: LaneOptions = {}): TestLane {
  const documents = options.documents ?? SHIPPED;
  const { progress } = options;
  const state = createLaneState({
    topic: 'rollout.steps',
    partition: 0,
    restored: progress?.frontier ?? 0,
    starts: progress?.starts ?? new Set(),
    inForce: progress?.inForce ?? documents.inForce,
  });
  const pipeline = createPipeline({
    state,
    decodeEvent,
    partitionOfKey: () => 0,
    documents,
    audits: options.audits ?? NO_AUDITS,
    limits: { reorderEvents: options.reorderEvents ?? 256 },
    ...(options.fits === undefined ? {} : { fits: options.fits }),
  });
  let position = progress?.watermark ?? 0;
  let rebuilding = position < state.restored;
  const cuts: Effects[] = [];

  const foldBatch = (records: readonly InRecord[]) => {
    const found = options.stored?.() ?? new Map();
    pipeline.fold({ records, found: new Map([...found].filter(([unit]) => !state.units.has(unit))) });
    position = (records.at(-1)?.offset ?? position - 1) + 1;
    const problem = checkLane(state, position);
    if (problem !== null) throw new Error(problem);
  };
  const foldRecords = (records: readonly InRecord[]) => {
    // As a lane reads: no batch across the frontier, and the rebuild ends when it is reached.
    const below = records.filter((record) => record.offset < state.restored);
    const above = records.filter((record) => record.offset >= state.restored);
    if (below.length > 0) foldBatch(below);
    if (rebuilding && (above.length > 0 || position >= state.restored)) {
      rebuilding = false;
      endRebuild(state);
    }
    if (above.length > 0) foldBatch(above);
  };

  return {
    state,
    pipeline,
    position: () => position,
    fold: (...events) => foldRecords(events.map((event, i) => recordOf(event, position + i))),
    foldRecords,
    cut() {
      const cut = takeCut(state, 1, position);
      cuts.push(cut.effects);
      return cut;
    },
    effects: () => joined([...cuts, state.effects]),
  };
}

/** Effects of several cuts as one. */
export function joined(all: readonly Effects[]): Effects {
  const sum = emptyEffects();
  for (const { rows, records } of all) {
    sum.rows.steps.push(...rows.steps);
    sum.rows.step_faults.push(...rows.step_faults);
    sum.rows.attempts.push(...rows.attempts);
    sum.rows.decisions.push(...rows.decisions);
    sum.rows.trajectories.push(...rows.trajectories);
    sum.rows.rewards.push(...rows.rewards);
    sum.rows.verdicts.push(...rows.verdicts);
    sum.rows.audits.push(...rows.audits);
    sum.rows.dead_letters.push(...rows.dead_letters);
    sum.records.push(...records);
  }
  return sum;
}

/** All that effects say, without the order between causes, which depends on how the log was cut into batches. */
export function contentOf({ rows, records }: Effects): string[] {
  const plain = (value: unknown) =>
    JSON.stringify(value, (_, item: unknown) =>
      item instanceof Uint8Array ? Buffer.from(item).toString('hex') : item,
    );
  return [
    ...Object.entries(rows).flatMap(([table, list]: [string, readonly unknown[]]) =>
      list.map((row) => `${table} ${plain(row)}`),
    ),
    ...records.map((record: OutRecord) => `record ${plain(record)}`),
  ].sort();
}

/** Decisions by unit, as the store would answer. */
export function pastOf({ rows }: Effects): Map<string, PastDecision[]> {
  const past = new Map<string, PastDecision[]>();
  for (const { unit, rollout_id, attempt, disposition, category, offset } of rows.decisions)
    past.set(unit, [...(past.get(unit) ?? []), { rolloutId: rollout_id, attempt, disposition, category, offset }]);
  return past;
}
