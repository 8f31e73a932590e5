import type { StrictObject, StrictValue } from './strict-value.ts';

/** What is wrong with a call as it was written. */
export type FaultKind =
  | 'bad_escape'
  | 'bad_id'
  | 'bad_number'
  | 'comment'
  | 'control_char'
  | 'duplicate_key'
  | 'extra_data'
  | 'missing_arguments'
  | 'missing_field'
  | 'missing_name'
  | 'missing_value'
  | 'nan'
  | 'not_json'
  | 'python_literal'
  | 'single_quotes'
  | 'too_deep'
  | 'trailing_comma'
  | 'trailing_text'
  | 'unclosed_bracket'
  | 'unclosed_string'
  | 'unclosed_tag'
  | 'unquoted_key'
  | 'wrong_type';

export interface CallFault {
  readonly kind: FaultKind;
  /** Character of the text. */
  readonly at: number;
}

/** A tool call as the model wrote it. */
export interface StrictCall {
  /** null: it has none that can be read. */
  readonly name: string | null;
  /** Arguments as they stand in the text; null: there are none to be seen. */
  readonly argumentsText: string | null;
  /** null if and only if the call is at fault. In dialects whose values have no type, all values are strings. */
  readonly argumentsValue: StrictObject | null;
  /** What can be seen of the arguments of a call at fault; null: nothing. */
  readonly seen: StrictValue;
  /** Characters of the text, tags included. */
  readonly charStart: number;
  readonly charEnd: number;
  readonly fault: CallFault | null;
  /** The text ends before the call does. */
  readonly isOpen: boolean;
}

/** What the text of one model call says of tools. */
export interface StrictParse {
  /** In order. */
  readonly calls: readonly StrictCall[];
  /** Written while it was thinking: never calls. */
  readonly thinkCalls: readonly StrictCall[];
  /** It never stopped thinking. */
  readonly thinkUnclosed: boolean;
  /** false: there are more calls than anybody writes, and the rest was not read. */
  readonly isWhole: boolean;
}

/** A block of the text that a dialect has read. */
export interface Block {
  readonly calls: readonly StrictCall[];
  /** First character after it. */
  readonly end: number;
}

/** A way to write tool calls. */
export interface Dialect {
  readonly name: 'hermes' | 'qwen_xml' | 'glm' | 'kimi' | 'terminus_json' | 'terminus_xml';
  /** What a block of calls begins with. */
  readonly openers: readonly string[];
  /** Values carry no type: `<parameter=n>1</parameter>` may be 1 or "1". */
  readonly isUntyped: boolean;
  /** The whole reply is what calls: it has no openers, and a reply without a call in it is at fault. */
  readonly isWholeText?: true;
  /** Loops that read it may keep the text alone: where no calls are listed, what ran is not in the record. */
  readonly isListless?: true;
  /** Reads the block at `at`, which begins with one of the openers; nothing from `limit` on is part of it. */
  readonly read: (source: TagSource, at: number, limit: number) => Block;
}

/** A text and where its tags are. */
export interface TagSource {
  readonly text: string;
  /** First place of a tag at or after `from` that ends by `limit`; -1: none. */
  readonly next: (tag: string, from: number, limit: number) => number;
}
