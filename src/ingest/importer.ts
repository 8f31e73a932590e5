import type { Purpose, StepEventInit } from '../../schemas/generated/step-event.ts';
import type { JsonObject } from './exact-number.ts';
import { Refused } from './fields.ts';

/** One line of a file, parsed. */
export interface ParsedLine {
  readonly value: JsonObject;
  /** SHA-256 of the line's bytes without its end, hex. */
  readonly sha256: string;
  /** file:line, for messages to people. */
  readonly location: string;
  /** Keys that the line has twice; the last value counted. */
  readonly duplicateKeys: readonly string[];
}

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
}

export type Imported =
  /** All events of one attempt in the order they are to be appended; none: the row belongs to the other reading of its file. */
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

/** One format. What an importer has to remember between lines lives in what `open` returns: a file at a time. */
export interface Importer {
  readonly name: string;
  detect(first: readonly JsonObject[], path: string): Detection | null;
  open(context: ImportContext): (line: ParsedLine) => Imported;
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
