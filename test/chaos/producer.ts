import { appendFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRandom } from '../../examples/generate/random.ts';
import { unitOf } from '../../processors/model/unit.ts';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import { openKafkaBroker } from '../../src/broker/kafka/open-kafka-broker.ts';
import type { NewRecord } from '../../src/broker/port.ts';
import { topicNames } from '../../src/config/topics.ts';
import { RollstreamError } from '../../src/errors.ts';
import { createCodecs } from '../../src/registry/codecs.ts';
import { openConfluentRegistry } from '../../src/registry/confluent/open-confluent-registry.ts';
import { createSentRollouts, type SentAttempt } from './sent-rollouts.ts';

/** Sends rollouts until its standard input ends, and writes down what must become of each before it sends it. */
const { values } = parseArgs({
  options: {
    brokers: { type: 'string', default: '' },
    registry: { type: 'string', default: '' },
    /** Of the topics. */
    prefix: { type: 'string', default: '' },
    /** JSON Lines: a SentAttempt each. */
    out: { type: 'string', default: '' },
    seed: { type: 'string', default: '0' },
    /** Events a second. */
    rate: { type: 'string', default: '400' },
    /** Tokens of the longest prompt and completion. */
    longest: { type: 'string', default: '40' },
  },
});
const BATCH = 50;
const AT_ONCE = 200;
/** So often a batch is sent twice, as a producer does that did not hear the answer. */
const SENT_TWICE = 0.02;

const { steps } = topicNames(values.prefix);
const broker = await openKafkaBroker({ brokers: [values.brokers], clientId: 'chaos-producer' });
const codecs = createCodecs(openConfluentRegistry({ url: values.registry }));
const encode = await codecs.encoderOf<StepEventInit>(`${steps}-value`, stepEventSchema);
const random = createRandom(`${values.seed} twice`);
const begun: SentAttempt[] = [];
const seed = `${values.seed} sent`;
const rollouts = createSentRollouts({ seed, atOnce: AT_ONCE, longest: Number(values.longest) }, (attempt) =>
  begun.push(attempt),
);
process.stdin.resume().on('end', () => rollouts.finish());

async function append(records: readonly NewRecord[]): Promise<void> {
  for (;;) {
    try {
      await broker.append(steps, records);
      return;
    } catch (error) {
      if (!(error instanceof RollstreamError) || error.code !== 'RS_BROKER_UNREACHABLE') throw error;
    }
  }
}

const began = performance.now();
let sent = 0;
for (;;) {
  const records: NewRecord[] = [];
  while (records.length < BATCH) {
    const event = rollouts.next();
    if (event === null) break;
    records.push({ key: unitOf({ ...event, epoch: 0, group_id: event.group_id ?? null }), value: encode(event) });
  }
  if (records.length === 0) break;
  const lines = begun.splice(0).map((attempt) => `${JSON.stringify(attempt)}\n`);
  await appendFile(values.out, lines.join(''));
  await append(records);
  if (random() < SENT_TWICE) await append(records);
  sent += records.length;
  const aheadMs = (1000 * sent) / Number(values.rate) - (performance.now() - began);
  if (aheadMs > 0) await sleep(aheadMs);
}
await broker.close();
process.stdout.write(`${sent}\n`);
