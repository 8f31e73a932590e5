import { createStreamAudits } from '../../processors/audit/stream-audits.ts';
import { eventFault } from '../../processors/decode/event-faults.ts';
import type { Attempt } from '../../processors/model/attempt.ts';
import { type Audited, notAuditable } from '../../processors/model/audit-summary.ts';
import type { Scored } from '../../processors/model/judgement.ts';
import { readTaxonomy } from '../../processors/taxonomy/read-taxonomy.ts';
import type { ImportContext, Imported, RecordMapping } from '../ingest/importer.ts';
import { importerNamed } from '../ingest/importers.ts';
import { MAX_LINE_BYTES, readLines, type SourceLine } from '../ingest/line-reader.ts';
import { readDocument } from '../ingest/read-document.ts';
import { readRecord } from '../ingest/read-record.ts';
import { type DocumentText, mustRead } from '../lanes/read-document.ts';
import { createMessageNotes } from './attempt-messages.ts';
import type { AttemptReport, BlockReport, RefusedLine } from './attempt-report.ts';
import { createTextNotes } from './attempt-texts.ts';
import { type AuditLaneDeps, createAuditLane } from './audit-lane.ts';
import { openDeepAudit } from './deep-audit.ts';
import { numberingOf } from './record-numbering.ts';
import { type AttemptPlace, reportAttempt } from './report-attempt.ts';
import { createSample, type SampleSize } from './sample.ts';
import { wholeEvent } from './whole-event.ts';

/** What an engine is made of: plain data, so that it can go to a worker. */
export interface EngineSettings {
  readonly taxonomy: DocumentText;
  readonly reorderEvents: number;
  /** None: nothing that needs a tokenizer is looked at. */
  readonly tokenizerFolders: readonly string[];
  readonly sample: SampleSize | null;
}

/** Whole lines of a file. */
export interface LineBlock {
  readonly path: string;
  readonly format: string;
  readonly context: ImportContext;
  readonly bytes: Uint8Array;
  /** Number of its first line. */
  readonly firstLine: number;
  /** It is one document, with what belongs to it. */
  readonly isDocument: boolean;
  /** Its lines build on one another: all blocks of the file go to one engine, in order. */
  readonly isInterleaved: boolean;
  /** The file has no more. */
  readonly isLast: boolean;
}

/** Lines → events → attempts → what the audits say of each. */
export interface AuditEngine {
  audit(block: LineBlock): Promise<BlockReport>;
  /** Nothing more comes: what is open closes. */
  finish(): Promise<BlockReport>;
  close(): Promise<void>;
}

/** Whole attempts of interleaved events that wait for what may come after their end, such as a verdict. */
const WAITING = 4096;

export async function openAuditEngine(settings: EngineSettings): Promise<AuditEngine> {
  const deep = settings.tokenizerFolders.length === 0 ? null : await openDeepAudit(settings.tokenizerFolders);
  const drawn = settings.sample === null ? null : createSample<null>(settings.sample);
  const audits = createStreamAudits(deep === null ? { template: lacking, reencode: lacking } : {});
  const texts = createTextNotes();
  const messages = createMessageNotes();
  let closed: Array<[Attempt, Scored, Audited]> = [];
  /** Where the events of an attempt begin, of those that stand on several lines; others may follow in other files. */
  const begun = new WeakMap<Attempt, BegunAt>();
  let reading: BegunAt | null = null;
  const laneDeps: AuditLaneDeps = {
    taxonomy: mustRead(settings.taxonomy, readTaxonomy).value,
    reorderEvents: settings.reorderEvents,
    audits: {
      ...audits,
      watch: (attempt, event) => {
        audits.watch(attempt, event);
        if (reading !== null && !begun.has(attempt)) begun.set(attempt, reading);
        if (deep === null) return;
        texts.watch(attempt, event);
        messages.watch(attempt, event);
      },
    },
    closed: (...one) => closed.push(one),
  };
  /** A record closes with its last event; what lies between other events stays open, whatever records come meanwhile. */
  const records = createAuditLane(laneDeps);
  const interleaved = createAuditLane(laneDeps);
  /** The mapping of an interleaved file goes on from block to block. */
  let open: { readonly path: string; readonly mapping: RecordMapping } | null = null;

  const mappingOf = ({ path, format, context, isInterleaved }: LineBlock): RecordMapping => {
    if (open?.path === path) return open.mapping;
    const mapping = importerNamed(format)?.open(context);
    if (mapping === undefined) throw new Error(`there is no importer ${format}`);
    open = isInterleaved ? { path, mapping } : null;
    return mapping;
  };

  async function report(place: AttemptPlace | null, into: Draft): Promise<void> {
    const taken = closed;
    closed = [];
    for (const [attempt, scored, audited] of taken) {
      const sampleHash = place === null ? (drawn?.hashOf(identityOf(attempt)) ?? null) : place.sampleHash;
      if (drawn !== null) {
        if (sampleHash !== null) drawn.add(sampleHash, null);
        else {
          into.passedOver++;
          continue;
        }
      }
      const notes = { texts: texts.of(attempt), messages: messages.of(attempt) };
      const whole = (await deep?.audit(attempt, audited, notes)) ?? { audited, reencode: null, rerender: null };
      const { line, numbering } = place ?? { line: begun.get(attempt)?.line ?? null, numbering: null };
      const file = begun.get(attempt)?.file ?? null;
      into.attempts.push(reportAttempt(attempt, scored, whole, { file, line, numbering, sampleHash }));
    }
  }

  async function takeLine(line: SourceLine, mapping: RecordMapping, block: LineBlock, into: Draft): Promise<void> {
    const { path, context, isDocument, isInterleaved } = block;
    const isRecord = !isInterleaved;
    const sampleHash = isRecord ? (drawn?.hashOf(line.sha256) ?? null) : null;
    // What is not looked at is not even parsed; of a file that is read twice, each reading must know its own rows first.
    const isPassedOver = isRecord && drawn !== null && sampleHash === null;
    if (isPassedOver && context.rows === 'all') {
      into.passedOver++;
      return;
    }
    const record = readRecord(line, isDocument);
    if ('refused' in record) {
      // What no row can be made of was told at the first reading.
      if (context.rows !== 'unnumbered') into.refused.push({ line: line.number, message: record.refused.message });
      return;
    }
    const location = isDocument ? path : `${path}:${line.number}`;
    const { value, duplicateKeys } = record;
    const mapped = mapping.take({ value, sha256: line.sha256, location, duplicateKeys });
    await takeMapped(mapped, line, { block, sampleHash, isPassedOver }, into);
  }

  async function takeMapped(
    mapped: Imported,
    line: Pick<SourceLine, 'number' | 'sha256'>,
    { block, sampleHash, isPassedOver }: MappedFrom,
    into: Draft,
  ): Promise<void> {
    const { path, isInterleaved } = block;
    const isRecord = !isInterleaved;
    if ('refused' in mapped) {
      into.refused.push({ line: line.number, message: mapped.refused.message });
      return;
    }
    if (mapped.events.length === 0) return;
    if (isPassedOver) {
      into.passedOver++;
      return;
    }
    const events = mapped.events.map(wholeEvent);
    reading = isRecord ? null : { file: path, line: line.number };
    for (const event of events) {
      const found = eventFault(event);
      if (found?.kind !== 'dead_letter') (isRecord ? records : interleaved).fold(event);
      else into.refused.push({ line: line.number, message: faultText(found.fault) });
    }
    into.events += events.length;
    if (isRecord) records.closeAll();
    else interleaved.closeWhole(WAITING);
    if (closed.length === 0) return;
    const place = { file: null, line: line.number, numbering: numberingOf(events, line.sha256), sampleHash };
    await report(isRecord ? place : null, into);
  }

  return {
    async audit(block) {
      const into = emptyDraft();
      const mapping = mappingOf(block);
      for await (const line of recordsOf(block)) {
        into.lines++;
        await takeLine(line, mapping, block, into);
      }
      for (const { line, sha256, result } of block.isLast ? (mapping.end?.() ?? []) : []) {
        await takeMapped(result, { number: line, sha256 }, { block, sampleHash: null, isPassedOver: false }, into);
      }
      if (block.isLast) open = null;
      return { ...into, faults: sumOf(records.takeFaults(), interleaved.takeFaults()) };
    },
    async finish() {
      const into = emptyDraft();
      interleaved.closeAll();
      await report(null, into);
      return { ...into, faults: interleaved.takeFaults() };
    },
    close: async () => deep?.close(),
  };
}

interface BegunAt {
  readonly file: string;
  readonly line: number;
}

interface Draft {
  readonly attempts: AttemptReport[];
  readonly refused: RefusedLine[];
  lines: number;
  events: number;
  passedOver: number;
}

const lacking = () => notAuditable('a tokenizer');

function sumOf(one: Readonly<Record<string, number>>, other: Readonly<Record<string, number>>): Record<string, number> {
  const sum = { ...one };
  for (const [reason, n] of Object.entries(other)) sum[reason] = (sum[reason] ?? 0) + n;
  return sum;
}

function emptyDraft(): Draft {
  return { attempts: [], refused: [], lines: 0, events: 0, passedOver: 0 };
}

/** What a record was mapped for. */
interface MappedFrom {
  readonly block: LineBlock;
  readonly sampleHash: number | null;
  readonly isPassedOver: boolean;
}

async function* recordsOf({ bytes, firstLine, isDocument }: LineBlock): AsyncGenerator<SourceLine> {
  if (isDocument) yield readDocument(once(bytes));
  else yield* readLines(once(bytes), MAX_LINE_BYTES, firstLine);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Buffer> {
  yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function identityOf({ unit, rolloutId, number }: Attempt): string {
  return `${unit.key}\0${rolloutId}\0${number}`;
}

function faultText({ field, expected, got }: { field: string; expected: string; got: string }): string {
  return `${field}: expected ${expected}, got ${got}`;
}
