import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { avroTypeOf } from '../../../../processors/decode/avro-type.ts';
import { eventFault } from '../../../../processors/decode/event-faults.ts';
import { type StepEvent, stepEventSchema } from '../../../../schemas/generated/step-event.ts';
import type { ImportContext, Imported, Importer, Refusal } from '../../../../src/ingest/importer.ts';
import { readLines } from '../../../../src/ingest/line-reader.ts';
import { openDocument } from '../../../../src/ingest/open-document.ts';
import { readRecord } from '../../../../src/ingest/read-record.ts';

export const CONTEXT: ImportContext = {
  runId: 'run',
  env: null,
  epoch: 0,
  purpose: 'train',
  groupSize: null,
  overrides: {},
  rows: 'all',
  sidecars: {},
};

const eventType = avroTypeOf(stepEventSchema);

function isStepEvent(value: unknown): value is StepEvent {
  return eventType.isValid(value);
}

export type Taken = { readonly events: readonly StepEvent[] } | { readonly refused: Refusal };

/** What an importer makes of the lines of one file; events as they come out of the log: encoded and decoded. */
export async function imported(
  importer: Importer,
  text: string,
  context: Partial<ImportContext> = {},
  path = 'results.jsonl',
): Promise<Taken[]> {
  async function* whole(): AsyncGenerator<Buffer> {
    yield Buffer.from(text);
  }
  const mapping = importer.open({ ...CONTEXT, ...context });
  const all: Taken[] = [];
  for await (const line of readLines(whole())) {
    const record = readRecord(line);
    const location = `${path}:${line.number}`;
    all.push(decoded('refused' in record ? record : mapping.take({ ...record, sha256: line.sha256, location })));
  }
  for (const { result } of mapping.end?.() ?? []) all.push(decoded(result));
  return all;
}

/** What an importer makes of a document that lies in a folder with others: `files` by name, the first of them is found. */
export async function importedDocument(
  importer: Importer,
  files: Readonly<Record<string, unknown>>,
  context: Partial<ImportContext> = {},
): Promise<Taken> {
  const folder = mkdtempSync(join(tmpdir(), 'rollstream-documents-'));
  try {
    for (const [name, value] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value, null, 1));
    }
    const path = join(folder, Object.keys(files)[0] ?? '');
    const chunks = createReadStream(path);
    const opened = await openDocument({ path, chunks, importer, parts: new Set() });
    if (opened.kind !== 'document') throw new Error(`${path} is no document`);
    const { record, line } = opened.document;
    if ('refused' in record) return record;
    const location = path.slice(folder.length + 1);
    return decoded(importer.open({ ...CONTEXT, ...context }).take({ ...record, sha256: line.sha256, location }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function decoded(result: Imported): Taken {
  if ('refused' in result) return result;
  return {
    events: result.events.map((event) => {
      const decodedEvent: unknown = eventType.fromBuffer(eventType.toBuffer(event));
      if (!isStepEvent(decodedEvent)) throw new Error('not a step event');
      // What the pipeline would dead-letter is no event.
      const fault = eventFault(decodedEvent);
      if (fault !== null) throw new Error(JSON.stringify(fault));
      return decodedEvent;
    }),
  };
}

/** Events of a file of one good line, or of all its lines after another. */
export async function eventsOf(
  importer: Importer,
  lines: readonly unknown[],
  context: Partial<ImportContext> = {},
): Promise<StepEvent[]> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  const all = await imported(importer, `${text}\n`, context);
  return all.flatMap((taken) => {
    if ('refused' in taken) throw new Error(taken.refused.message);
    return taken.events;
  });
}

/** The message of the first refusal. */
export async function refusalOf(importer: Importer, line: unknown): Promise<Refusal | undefined> {
  const text = typeof line === 'string' ? line : JSON.stringify(line);
  const refused = (await imported(importer, `${text}\n`)).find((taken) => 'refused' in taken);
  return refused && 'refused' in refused ? refused.refused : undefined;
}

export function idsOf(bytes: Buffer | null | undefined): number[] | null {
  return bytes ? Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readUInt32LE(i * 4)) : null;
}

export function floatsOf(bytes: Buffer | null | undefined): number[] | null {
  return bytes ? Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4)) : null;
}

export function only<K extends StepEvent['kind']>(events: readonly StepEvent[], kind: K): StepEvent[] {
  return events.filter((event) => event.kind === kind);
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
