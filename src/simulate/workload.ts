import { unitOf } from '../../processors/model/unit.ts';
import type { StepEventInit, WeightSpanInit } from '../../schemas/generated/step-event.ts';
import type { NewRecord } from '../broker/port.ts';
import { VERSIONS } from './announcer.ts';
import type { Random } from './random.ts';

export const RUNS = ['a', 'b'] as const;
/** Who may end. */
export const PRODUCERS = ['producer-a', 'producer-b', 'other-a', 'other-b'] as const;
/** The first field of a record of poison: what tells it apart, for the checks. */
export const POISON = 'poison';

/** What a producer knows of a rollout: everything but its attempt's number. */
export interface RolloutShape {
  readonly run: string;
  /** null: a rollout without a group. */
  readonly group: string | null;
  /** null: no group, or one of unknown size. */
  readonly size: number | null;
  readonly rollout: string;
}

/** Records of one attempt, in the order in which its producer sends them. */
export type Sending = NewRecord[];

export interface Workload {
  /** Some units of each shape: those that begin at once, and those that come after everything closed. */
  readonly first: Sending[];
  readonly later: Sending[];
  /** The events of an attempt, with what goes wrong on the way. */
  attempt(shape: RolloutShape, number: number): Sending;
  shapeOf(rollout: string): RolloutShape;
}

export function createWorkload(
  load: Random,
  weights: Random,
  encode: (event: StepEventInit) => Buffer,
  mostUnits = 4,
): Workload {
  const shapes = new Map<string, RolloutShape>();
  let ids = 0;
  const id = () => `e${++ids}`;

  const attempt = (shape: RolloutShape, number: number): Sending => {
    const identity = {
      run_id: shape.run,
      env_name: 'simulation',
      task_id: shape.group ?? shape.rollout,
      group_id: shape.group,
      group_size: shape.size,
      rollout_id: shape.rollout,
      attempt: number,
      producer_id: `${load.chance(0.3) ? 'other' : 'producer'}-${shape.run}`,
      source: { format: 'simulation' },
    } as const;
    const calls = load.whole(0, 3);
    const events: StepEventInit[] = [
      {
        ...identity,
        event_id: id(),
        kind: 'start',
        seq: 0,
        started_at: load.chance(0.5) ? ids * 1000 : null,
        start: {},
      },
    ];
    let held = 0;
    for (let call = 0; call < calls; call++) {
      const prompt = load.whole(0, 2);
      const completion = load.whole(1, 3);
      // Rewritten history now and then, and once in a while a prefix that nobody has seen.
      const prefix = load.chance(0.1) ? load.whole(0, held) : load.chance(0.03) ? held + 1 : held;
      events.push({
        ...identity,
        event_id: id(),
        kind: 'model_call',
        seq: call + 1,
        model_call: {
          call_id: `call-${call}`,
          prompt_prefix_len: prefix,
          prompt_delta_ids: tokens(ids, prompt),
          completion_ids: tokens(ids + 1000, completion),
          weight_spans: spansOf(weights, completion),
        },
      });
      held = prefix + prompt + completion;
    }
    const raw = load.pick(['ok', 'ok', 'long', 'long', 'fault', 'odd']);
    events.push({
      ...identity,
      event_id: id(),
      kind: 'end',
      seq: calls + 1,
      end: { reasons: [{ raw, system: 'simulation' }] },
    });
    events.push({
      ...identity,
      event_id: id(),
      kind: 'verdict',
      verdict: { scorer: 'tests', status: 'scored', rewards: { score: load.whole(1, 9) } },
    });
    disturb(events);
    if (load.chance(0.1)) events.push({ ...identity, event_id: id(), kind: 'phase', phase: { phase: 'cleanup' } });
    if (load.chance(0.1)) events.push({ ...identity, ...lateCall(calls + 2) });
    const sending: Sending = events.map((event) => ({ key: unitOf(identityOf(event)), value: encode(event) }));
    if (load.chance(0.05)) sending.push({ key: unitOf(identityOf(identity)), value: Buffer.from(`${POISON} ${id()}`) });
    return sending;
  };

  const lateCall = (seq: number) =>
    ({
      event_id: id(),
      kind: 'model_call',
      seq,
      model_call: { call_id: 'late', completion_ids: tokens(ids, 1), prompt_delta_ids: tokens(0, 0) },
    }) as const;

  /** Lost, out of order, repeated, contradicted. */
  const disturb = (events: StepEventInit[]): void => {
    if (load.chance(0.15)) events.pop();
    else if (load.chance(0.25)) events.splice(load.whole(0, events.length - 1), 1);
    // The start comes last, perhaps after everybody has given it up.
    if (load.chance(0.1)) events.push(...events.splice(0, 1));
    if (load.chance(0.25) && events.length > 1) {
      const at = load.whole(0, events.length - 2);
      events.splice(at, 2, ...events.slice(at, at + 2).reverse());
    }
    for (const [chance, twin] of [
      [0.3, (event: StepEventInit) => event],
      [0.12, contradiction],
    ] as const)
      if (load.chance(chance)) {
        const at = load.whole(0, events.length - 1);
        const event = events[at];
        if (event !== undefined) events.splice(load.whole(at + 1, events.length), 0, twin(event));
      }
  };

  const contradiction = (event: StepEventInit): StepEventInit => ({
    ...event,
    event_id: id(),
    ...(load.chance(0.3) ? { producer_id: 'another' } : {}),
    ...(event.verdict ? { verdict: { ...event.verdict, rewards: { score: 4 } } } : {}),
  });

  const first: Sending[] = [];
  const later: Sending[] = [];
  for (let unit = 0, units = load.whole(2, mostUnits); unit < units; unit++) {
    const run = load.pick(RUNS);
    const kind = load.pick(['single', 'known', 'unknown']);
    const members = kind === 'single' ? 1 : load.whole(2, 3);
    for (let member = 0; member < members; member++) {
      const shape = {
        run,
        group: kind === 'single' ? null : `group-${unit}`,
        size: kind === 'known' ? members : null,
        rollout: `${unit}.${member}`,
      };
      shapes.set(shape.rollout, shape);
      // Now and then a second attempt that nobody asked for.
      for (const number of load.chance(0.12) ? [0, 1] : [0])
        (first.length > 0 && load.chance(0.2) ? later : first).push(attempt(shape, number));
    }
  }
  return {
    first,
    later,
    attempt,
    shapeOf(rollout) {
      const shape = shapes.get(rollout);
      if (shape === undefined) throw new Error(`nobody has sent a rollout ${rollout}`);
      return shape;
    },
  };
}

/** Of one version, of two, or of none that anybody names. */
function spansOf(weights: Random, tokens: number): WeightSpanInit[] {
  const version = () => `v${weights.whole(0, VERSIONS - 1)}`;
  if (weights.chance(0.1)) return [];
  const first = { start: 0, version: version() };
  return tokens > 1 && weights.chance(0.3)
    ? [first, { start: weights.whole(1, tokens - 1), version: version() }]
    : [first];
}

function identityOf({
  run_id,
  epoch = 0,
  group_id = null,
  rollout_id,
}: Pick<StepEventInit, 'run_id' | 'epoch' | 'group_id' | 'rollout_id'>) {
  return { run_id, epoch, group_id, rollout_id };
}

/** Ids that tell tokens of different events apart. */
function tokens(base: number, count: number): Buffer {
  const bytes = Buffer.alloc(count * 4);
  for (let i = 0; i < count; i++) bytes.writeUInt32LE(base * 10 + i, i * 4);
  return bytes;
}
