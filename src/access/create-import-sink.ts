import { createHash } from 'node:crypto';
import { sourceEndedEvent } from '../../processors/control/control-event.ts';
import { type StepEventInit, stepEventSchema } from '../../schemas/generated/step-event.ts';
import type { DeadLetter, ImportSink } from '../ingest/import-sink.ts';
import { type Codecs, createCodecs } from '../registry/codecs.ts';
import { closedText } from '../runs/registry.ts';
import type { ImportTarget } from './import-target.ts';
import type { FramedRecord } from './record-frames.ts';

/** Name of the schema of rollout.steps in the registry. */
const SUBJECT = 'rollout.steps-value';

/** Encodes what an importer gives and sends it where it goes. */
export async function createImportSink(target: ImportTarget): Promise<ImportSink> {
  const codecs: Codecs = createCodecs({ register: target.register, schemaOf: async () => null });
  const encode = await codecs.encoderOf<StepEventInit>(SUBJECT, stepEventSchema);
  const content = createHash('sha256');
  const closed = await target.closedRuns();
  return {
    refusal(runId) {
      const state = closed.get(runId);
      return state === undefined ? null : closedText(runId, state);
    },
    append(events) {
      for (const { event } of events) content.update(event.event_id);
      return target.appendSteps(events.map(({ key, event }) => ({ key, headers: {}, value: encode(event) })));
    },
    deadLetter: (letter) => target.appendDeadLetters([letterRecord(letter)]),
    // Named by what was imported: the same files again end with the same event, and add no row.
    sourceEnded: (producerId) =>
      target.appendToEveryPartition({
        key: '',
        headers: {},
        value: encode(sourceEndedEvent(producerId, `${producerId}|${content.copy().digest('hex').slice(0, 32)}`)),
      }),
  };
}

/** Keyed by content: the same bytes again are the same letter. A header is UTF-8, and a field may be named with a lone surrogate. */
function letterRecord(letter: DeadLetter): FramedRecord {
  const { file, line, offset, sha256, length, message, field, expected, got } = letter;
  const facts = { stage: 'import', file, line, offset, length, message, field, expected, got };
  const headers = Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, String(value).toWellFormed()]),
  );
  return { key: sha256, headers, value: letter.bytes ?? Buffer.alloc(0) };
}
