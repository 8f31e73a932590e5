import type { ToolStatus } from '../../schemas/generated/step-event.ts';
import type { Found } from './audit-summary.ts';

/** What was found of tool calls while calls and results were folded. */
export interface ToolsWatch {
  /** At most 64; the others are counted in `more`. */
  readonly findings: Found[];
  more: MoreFindings | null;
  /** Of turns without raw text, for whoever can decode their tokens. Bounded: a turn that does not fit is not there. */
  readonly executed: ExecutedTurn[];
  /** Characters that `executed` may still take. */
  executedRoom: number;
  /** Names of the tools that the model was offered; null: unknown. */
  offered: readonly string[] | null;
  /** Dialect that its calls were seen in; null: none was. */
  dialect: string | null;
  /** The start named the parser of replies: its dialect, and the segment that it reads. null: it did not. */
  replies: { readonly segmentId: string; readonly dialect: string } | null;
  /** false: the source records calls by their text or ids alone, so that a call without an entry proves nothing. */
  listsCalls: boolean;
  /** What the first turn lacked that cannot be proved; null: each was. */
  unproved: { readonly lacks: string; readonly turn: number; turns: number } | null;
  /** The model call whose results may still come. */
  turn: TurnNotes | null;
  /** Segment of that call; null: there was none. */
  segmentId: string | null;
  /** Turns of whose well-formed calls some were answered and others not, as it stood when the next began. At most 64. */
  readonly partly: number[];
  /** Tool results, and texts of those that tell of an error. */
  results: number;
  /** The source tells messages too. */
  tellsMessages: boolean;
  observations: ErrorText[] | null;
}

export interface MoreFindings {
  readonly byClass: Map<string, number>;
  fails: boolean;
}

/** An error that tools answered with. At most 8 are told apart. */
export interface ErrorText {
  readonly hash: number;
  readonly text: string;
  readonly turn: number;
  readonly isSandbox: boolean;
  results: number;
  /** Hashes of the calls that it answered; at most 3. */
  readonly calls: number[];
}

/** What is kept of a model call until the next begins. */
export interface TurnNotes {
  readonly turn: number;
  /** Its calls are known from its own text. */
  readonly hasText: boolean;
  /** What the loop made of the text is not in the record. */
  readonly isUnlisted: boolean;
  readonly isUntyped: boolean;
  /** Whether the sampler was stopped before the model was done; null: nobody has said. */
  readonly isCut: boolean | null;
  /** The text never leaves its thought: for whoever knows whether it was cut. */
  readonly thinkUnclosed: boolean;
  /** In the order of the text; at most 32. */
  readonly calls: CallNotes[];
  /** A result came that may answer a call beyond those: nothing is known of it. */
  isBeyond?: true;
  results: number;
  /** Something after it tells the model of an error. */
  told: boolean;
}

/** A call as it was written, until it is known what became of it. */
export interface CallNotes {
  /** null: the loop's own list lacks it. */
  readonly callId: string | null;
  readonly name: string | null;
  /** Character of the text that it begins at; null: there is no text. */
  readonly at: number | null;
  /** null: it is well formed. */
  readonly fault: string | null;
  /** The text ends within it. */
  readonly isOpen: boolean;
  /** Text of a call at fault, for evidence. */
  readonly shown: string | null;
  /** Written in a thought. */
  readonly isDraft: boolean;
  readonly isUnknownTool: boolean;
  /** Arguments that can be seen in a call at fault; of a well-formed one, all. */
  readonly keys: number;
  /** null: it is not well formed. */
  readonly written: ToldArguments | null;
  /** What the loop's parser made of it; null: the source does not say. Where that is what was written, the same object. */
  readonly parsed: ToldArguments | null;
  /** It was said that its arguments changed on the way to the loop's list. */
  readonly isChanged: boolean;
  /** What was written is known, from the text or by the source's own word. */
  readonly isRecorded: boolean;
  /** What became of it is known, from the loop's list or as it was executed. */
  isFollowed: boolean;
  results: number;
  /** What ran first, by the source's own word or by its list. */
  executed: ToldArguments | null;
  told: boolean;
}

/** Arguments of a call, as the model wrote them or as the loop told of them. */
export interface ToldArguments {
  /** JSON, or what is none; null: too long to be kept. Holds: then `compact`, `hash` and `keys` are there. */
  readonly text: string | null;
  /** In a dialect whose values carry no type. */
  readonly isUntyped: boolean;
  /** Of the text less its blanks; null: nobody had to know. */
  compact: number | null;
  /** It was read, and is JSON. */
  isJson: boolean;
  /** Of what they say, however it is written, and how many they are; null: nobody had to know. */
  hash: number | null;
  keys: number | null;
}

export interface ExecutedTurn {
  readonly turn: number;
  readonly calls: readonly ExecutedCall[];
}

/** A call as the loop understood and executed it. */
export interface ExecutedCall {
  readonly callId: string;
  readonly name: string | null;
  /** Arguments after the parser, and as they were executed, JSON text; null: the source does not say. */
  readonly parsed: string | null;
  readonly executed: string | null;
  /** null: no result came. */
  readonly status: ToolStatus | null;
}

const EXECUTED_CHARACTERS = 16_384;

export function createToolsWatch(): ToolsWatch {
  return {
    findings: [],
    more: null,
    executed: [],
    executedRoom: EXECUTED_CHARACTERS,
    offered: null,
    dialect: null,
    replies: null,
    listsCalls: true,
    unproved: null,
    turn: null,
    segmentId: null,
    partly: [],
    results: 0,
    tellsMessages: false,
    observations: null,
  };
}
