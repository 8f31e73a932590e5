import type { Purpose, StepEventInit } from '../../schemas/generated/step-event.ts';
import type { JsonObject } from './exact-number.ts';
import { Refused } from './fields.ts';

/** One record of a file, parsed: a line, or the whole file where it is one JSON document. */
export interface ParsedLine {
  /** A document that is an array is `{"[]": […]}`; one that came with others, `{name: document}` (see `together`). */
  readonly value: JsonObject;
  /** SHA-256 of the record's bytes without the end of the line, hex. */
  readonly sha256: string;
  /** file:line, for messages to people. */
  readonly location: string;
  /** Keys that the record has twice; the last value counted. */
  readonly duplicateKeys: readonly string[];
}

/** Key under which a document that is an array stands. */
export const ARRAY = '[]';

/** What holds for all lines of one file. */
export interface ImportContext {
  readonly runId: string;
  /** Given by the user; null: as the source says. */
  readonly env: string | null;
  readonly epoch: number;
  readonly purpose: Purpose;
  /** null: unknown, unless the source says. */
  readonly groupSize: number | null;
  /** What the user said explicitly, by field: it goes before what a step event says itself. */
  readonly overrides: JsonObject;
  /** Which rows of a file that is read twice: those that number their attempt come first (nemo-gym.ts). */
  readonly rows: 'all' | 'numbered' | 'unnumbered';
  /** Documents beside the file that say what holds for all its lines, by name (`Importer.sidecars`); only those that are there. */
  readonly sidecars: Readonly<Record<string, JsonObject>>;
}

export type Imported =
  /**
   * Events in the order they are to be appended, attempt by attempt, each attempt whole. None: the row belongs to the other
   * reading of its file, or to attempts that later rows may go on with.
   */
  { readonly events: readonly StepEventInit[] } | { readonly refused: Refusal };

export interface Refusal {
  /** `field: what is wrong`, for people. */
  readonly message: string;
  /** Path of the field, '' when it is the whole line. */
  readonly field: string;
  readonly expected: string;
  readonly got: string;
}

export interface Detection {
  /** 0 to 1; the highest takes the file. */
  readonly score: number;
  /** What was seen, for people. */
  readonly why: string;
}

/** One format. What an importer has to remember between records lives in what `open` returns: a file at a time. */
export interface Importer {
  readonly name: string;
  /** By content: the first records of a file; `path` may be '' and decides only between equals. */
  detect(first: readonly JsonObject[], path: string): Detection | null;
  open(context: ImportContext): RecordMapping;
  /**
   * Its rollouts lie between each other, over many lines: what a line gives depends on the lines before it. Absent: each
   * record stands alone, and threads may read them in any order.
   */
  readonly interleaved?: true;
  /** Names of documents beside a file that hold for all its lines, such as `metadata.json`. */
  readonly sidecars?: readonly string[];
  /**
   * One rollout over several documents: names of documents that belong with those read so far, all relative to the folder of
   * the file that was found (`../result.json`; only below the folder above it). Asked again until nothing new is there; what does
   * not exist is passed over. The record is then `{name: document}` in the order of the names, which are relative to the folder
   * that holds all of them: the same record whichever of its files was found first.
   */
  together?(read: ReadonlyMap<string, JsonObject>): readonly string[];
}

/** What a file's records become. */
export interface RecordMapping {
  take(record: ParsedLine): Imported;
  /** The file has ended: what waited for more, one by one. Each with the location it is to be told by. */
  end?(): Iterable<EndedRecord>;
}

export interface EndedRecord {
  readonly result: Imported;
  /** Line on which it began, and the SHA-256 of what it is. */
  readonly line: number;
  readonly sha256: string;
}

/** What is odd about a line, for the extra_json of its first event; undefined: nothing. */
export function oddities({ duplicateKeys }: ParsedLine): JsonObject | undefined {
  return duplicateKeys.length > 0 ? { duplicate_keys: [...duplicateKeys] } : undefined;
}

/** Runs a mapping that may refuse, and makes of the refusal a value. */
export function refusable(map: () => readonly StepEventInit[]): Imported {
  try {
    return { events: map() };
  } catch (error) {
    if (error instanceof Refused) return { refused: refusalOf(error) };
    throw error;
  }
}

function refusalOf(error: Refused): Refusal {
  const { field, expected, got } = error;
  return { message: field === '' ? error.message : `${field}: ${error.message}`, field, expected, got };
}
