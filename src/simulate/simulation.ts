import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { sourceEndedEvent } from '../../processors/control/control-event.ts';
import { decodeProgress } from '../../processors/cut/progress.ts';
import { type RetryRequest, retryRequestSchema } from '../../schemas/generated/retry-request.ts';
import { type StepEvent, type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { type Trajectory, trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { LogRecord } from '../broker/port.ts';
import { encodeDocuments } from '../clickhouse/tables/documents.ts';
import { topicNames, topicSpecs } from '../config/topics.ts';
import { createControlWriter } from '../lanes/control-writer.ts';
import { createEncodeRecords } from '../lanes/out-records.ts';
import type { Codecs, Decode } from '../registry/codecs.ts';
import { createAnnouncer } from './announcer.ts';
import type { Outcome } from './check-outcome.ts';
import { createCrew } from './crew.ts';
import { createGateKeeper } from './gate-keeper.ts';
import { heldProblem, isForwarded } from './held-problem.ts';
import { createMemoryLog } from './memory-log.ts';
import { createMemoryStore } from './memory-store.ts';
import { createRandom } from './random.ts';
import { createScheduler } from './scheduler.ts';
import { GATED_POLICIES, POLICIES, policyText, TAXONOMY } from './simulated-documents.ts';
import { createSimulatedForwarder } from './simulated-forwarder.ts';
import type { World } from './simulated-ports.ts';
import { GROUP } from './simulated-process.ts';
import type { TableShape } from './table-shapes.ts';
import { createWorkload, PRODUCERS, RUNS, type Sending } from './workload.ts';

export interface SimulationConfig {
  readonly seed: string;
  /** Times that a process dies, hangs, loses its lane or is told to stop. 0: nothing fails at all. */
  readonly crashes: number;
  /** The log of another simulation, once more; absent: live, where control events land where they land. */
  readonly script?: readonly LogRecord[];
  /** Every restart is of another build, which judges otherwise. */
  readonly buildsDiffer: boolean;
  /** Now and then the log forgets some of what was committed, open units or not. */
  readonly forgets?: boolean;
  /** Gates open and close, and what was held is forwarded. */
  readonly gated?: boolean;
}

export interface SimulationDeps {
  readonly codecs: Codecs;
  readonly shapes: ReadonlyMap<string, TableShape>;
}

export interface Simulation {
  readonly world: World;
  /** Goes on until all that was sent is decided and committed. */
  drain(): Promise<void>;
  /** What producers send from now on. */
  send(sendings: readonly Sending[]): void;
  /** The process dies. */
  crash(): void;
  /** From now on nobody opens or closes a gate. */
  leaveGates(): void;
  readonly later: readonly Sending[];
  /** Events of one attempt that may wait for an earlier one. */
  readonly reorderEvents: number;
  records(topic: 'steps' | 'ready' | 'held' | 'rejected' | 'retries' | 'deadLetter'): LogRecord[];
  outcome(): Outcome;
  readonly counts: { steps: number; crashes: number; faults: number };
}

const topics = topicNames('');
const MOST_STEPS = 20_000;
const silent = pino({ level: 'silent' });

/** One log, one lane, whatever may go wrong with it: the same seed gives the same run. */
export async function createSimulation(config: SimulationConfig, deps: SimulationDeps): Promise<Simulation> {
  const { seed, crashes, script, forgets = false, gated = false } = config;
  const policies = gated ? GATED_POLICIES : POLICIES;
  const { codecs, shapes } = deps;
  const load = createRandom(`load ${seed}`);
  const random = createRandom(`schedule ${seed} ${crashes > 0} ${script !== undefined}`);
  const scheduler = createScheduler();
  const log = createMemoryLog(topicSpecs('', 1), () => scheduler.clock.nowMs);
  const store = createMemoryStore(shapes);
  const isScripted = script !== undefined;
  const world: World = { scheduler, log, store, random, isScripted, forgets, stepsTopic: topics.steps };
  for (const name of policies)
    store.insert(
      encodeDocuments([
        { kind: 'policy', content: policyText(name).text },
        { kind: 'taxonomy', content: TAXONOMY.text },
      ]),
    );
  const now = {
    append: async (topic: string, records: Parameters<typeof log.append>[1]) => log.append(topic, records),
    partitionsOf: async (topic: string) => log.partitionsOf(topic),
  };
  const control = await createControlWriter(now, codecs, topics.steps);
  const encode = await codecs.encoderOf<StepEventInit>(`${topics.steps}-value`, stepEventSchema);
  const workload = createWorkload(load, createRandom(`weights ${seed}`), encode, gated ? 7 : 4);
  const trainer = createRandom(`trainer ${seed} ${crashes > 0}`);
  const announce = createAnnouncer(trainer, RUNS);
  const decode = {
    event: codecs.decoderOf<StepEvent>(stepEventSchema),
    trajectory: codecs.decoderOf<Trajectory>(trajectorySchema),
    retry: codecs.decoderOf<RetryRequest>(retryRequestSchema),
  };
  await createEncodeRecords(codecs, topics, false);
  await codecs.prepare([1, 2, 3]);
  const reorderEvents = load.pick([1, 256]);
  const crew = createCrew(config, { world, topics, codecs, log: silent, reorderEvents, policies });
  const gateRandom = createRandom(`gates ${seed} ${crashes > 0}`);
  const overtakes = createRandom(`late ${seed}`).chance(0.5);
  const gates = createGateKeeper(gateRandom, RUNS, { log, store, topics, control }, overtakes);
  // The gates of a script are in it; their rows are not, and nothing is forwarded.
  const forwarder =
    gated && script === undefined
      ? createSimulatedForwarder({ world, topics, codecs, log: silent, group: GROUP, random: gateRandom, crashes })
      : null;
  let gatesMove = forwarder !== null;
  const records = (topic: keyof typeof topics) => [...log.history(topics[topic], 0)];
  const idOf = (text: string) => createHash('sha256').update(text).digest('hex');
  const taxonomy_id = idOf(TAXONOMY.text);
  const counts = { steps: 0, crashes: 0, faults: 0 };

  let remaining = [...(script ?? [])];
  let producers: Sending[] = script === undefined ? workload.first.map((sending) => [...sending]) : [];
  let answered = 0;

  /** Whoever was asked to run again mostly does. */
  const answerRetries = () => {
    if (world.isScripted) return;
    for (const record of records('retries').slice(answered)) {
      answered += 1;
      const retry = decoded(decode.retry, record);
      if (load.chance(0.85)) producers.push(workload.attempt(workload.shapeOf(retry.rollout_id), retry.next_attempt));
    }
  };

  const produce = () => {
    const [next] = remaining;
    if (next !== undefined) {
      log.replay(next);
      remaining = remaining.slice(1);
      scheduler.clock.nowMs = Math.max(scheduler.clock.nowMs, next.timestampMs);
    } else if (producers.length > 0) {
      const record = random.pick(producers).shift();
      if (record !== undefined) log.append(topics.steps, [record]);
      producers = producers.filter((sending) => sending.length > 0);
    }
  };

  const heldOutcome = () => ({ held: records('held'), ready: records('ready'), gates: gates.history, store });

  const forward = () => {
    forwarder?.goOn();
    const problem = heldProblem(heldOutcome());
    if (problem !== null) throw new Error(`forwarding, under way: ${problem}`);
  };

  /** Never more than was read: that a lane refuses. */
  const forget = () => {
    const committed = log.commits(GROUP, topics.steps, 0).at(-1)?.offset ?? 0;
    const { start } = log.bounds(topics.steps, 0);
    log.forget(topics.steps, 0, random.whole(Math.min(start, committed), committed));
  };

  const act = async (calm: boolean) => {
    scheduler.clock.nowMs += random.whole(0, 40);
    const live = world.isScripted ? 0 : 1;
    if (live === 1 && !calm && trainer.chance(0.05)) log.append(topics.steps, [control.weights(0, announce())]);
    const movesGates = gatesMove && !calm ? 0.8 : 0;
    const what = random.weighted([
      ['go on', 20],
      ['crash', crew.mayCrash() ? 0.5 : 0],
      ['produce', calm ? 0 : 8],
      ['time passes', 0.5 * live],
      ['policy', calm ? 0 : 0.3 * live],
      ['source ended', calm ? 0 : 0.15 * live],
      ['forget', forgets ? 0.25 : 0],
      ['gate changes', movesGates],
      ['gate is told', gates.isBehind ? 1 : 0],
      ['forward', forwarder === null ? 0 : 8],
    ] as const);
    if (what === 'go on') crew.goOn();
    else if (what === 'crash') crew.crash();
    else if (what === 'produce') produce();
    else if (what === 'forget') forget();
    else if (what === 'time passes') scheduler.clock.nowMs += random.whole(0, calm || random.chance(0.3) ? 9000 : 1500);
    else if (what === 'gate changes') gates.change();
    else if (what === 'gate is told') await gates.say();
    else if (what === 'forward') forward();
    else if (what === 'policy')
      await control.policy(0, { policy_id: idOf(policyText(random.pick(policies)).text), taxonomy_id });
    else {
      const ended = sourceEndedEvent(random.pick(PRODUCERS), `${scheduler.clock.nowMs}`);
      log.append(topics.steps, [{ key: null, value: encode(ended), partition: 0 }]);
    }
  };

  return {
    world,
    counts,
    reorderEvents,
    later: workload.later,
    records,
    send: (sendings) => {
      producers = sendings.map((sending) => [...sending]);
    },
    crash: () => crew.crash('dies'),
    leaveGates: () => {
      gatesMove = false;
    },
    async drain() {
      let isReleased = !gatesMove;
      for (let step = 0; step < MOST_STEPS; step++) {
        await scheduler.settle();
        crew.look();
        forwarder?.look();
        answerRetries();
        const calm = remaining.length === 0 && producers.length === 0;
        if (calm && !gates.isBehind && crew.hasDrained(log.bounds(topics.steps, 0).end)) {
          if (isReleased && (forwarder === null || isForwarded(heldOutcome()))) {
            const sum = (of: 'crashes' | 'faults') => crew.counts[of] + (forwarder?.counts[of] ?? 0);
            Object.assign(counts, { steps: counts.steps + step, crashes: sum('crashes'), faults: sum('faults') });
            return;
          }
          if (!isReleased) gates.release();
          isReleased = true;
        }
        await act(calm);
      }
      throw new Error(`does not drain: ${JSON.stringify(crew.status())}`);
    },
    outcome: () => ({
      store,
      input: records('steps').map((record) => {
        const outcome = decode.event(record.value ?? Buffer.alloc(0));
        return { record, event: outcome.kind === 'ok' ? outcome.value : null };
      }),
      output: {
        held: records('held').map((record) => ({ ...decoded(decode.trajectory, record) })),
        ready: records('ready').map((record) => ({ ...decoded(decode.trajectory, record) })),
        rejected: records('rejected').map((record) => ({ ...decoded(decode.trajectory, record) })),
        retries: records('retries').map((record) => ({ ...decoded(decode.retry, record) })),
      },
      deadLetters: records('deadLetter'),
      forwarding: heldOutcome(),
      logStart: log.bounds(topics.steps, 0).start,
      // A lane without a commit puts what it is configured with in its first one.
      firstPolicyId: decodeProgress(log.commits(GROUP, topics.steps, 0)[0]?.metadata ?? '')?.inForce.policy_id ?? '',
    }),
  };
}

function decoded<Value>(decode: Decode<Value>, { value, topic, offset }: LogRecord): Value {
  const outcome = decode(value ?? Buffer.alloc(0));
  if (outcome.kind !== 'ok') throw new Error(`${topic} @${offset} cannot be decoded`);
  return outcome.value;
}
