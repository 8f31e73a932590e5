import { randomUUID } from 'node:crypto';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { DeadLetter, ImportSink } from '../ingest/import-sink.ts';
import { type Codecs, createCodecs } from '../registry/codecs.ts';
import type { ImportTarget } from './import-target.ts';
import type { FramedRecord } from './record-frames.ts';

/** Name of the schema of rollout.steps in the registry. */
const SUBJECT = 'rollout.steps-value';

/** Encodes what an importer gives and sends it where it goes. */
export async function createImportSink(target: ImportTarget): Promise<ImportSink> {
  const codecs: Codecs = createCodecs({ register: target.register, schemaOf: async () => null });
  const encode = await codecs.encoderOf<StepEventInit>(SUBJECT, stepEventSchema);
  return {
    append: (events) =>
      target.appendSteps(events.map(({ key, event }) => ({ key, headers: {}, value: encode(event) }))),
    deadLetter: (letter) => target.appendDeadLetters([letterRecord(letter)]),
    sourceEnded: (producerId) =>
      target.appendToEveryPartition({ key: '', headers: {}, value: encode(sourceEnded(producerId)) }),
  };
}

/** Keyed by content: the same bytes again are the same letter. */
function letterRecord(letter: DeadLetter): FramedRecord {
  const { file, line, offset, sha256, length, message, field, expected, got } = letter;
  const facts = { stage: 'import', file, line, offset, length, message, field, expected, got };
  const headers = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, String(value)]));
  return { key: sha256, headers, value: letter.bytes ?? Buffer.alloc(0) };
}

/** Closes what the producer left open. Each import ends once, so each end has an id of its own. */
function sourceEnded(producerId: string): StepEventInit {
  return {
    run_id: '',
    env_name: '',
    task_id: '',
    rollout_id: '',
    segment_id: '',
    event_id: `source-ended-${randomUUID()}`,
    producer_id: producerId,
    kind: 'control',
    source: { format: 'rollstream', version: '1' },
    control: { type: 'deadline', deadline: { name: 'source_ended', source: producerId } },
  };
}
