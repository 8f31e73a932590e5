/** What a chat template writes between messages, as ids: plain data, so that it can go to a worker. */
export interface TemplateRules {
  /** `qwen3`, `qwen2.5`, `llama-3`, `llama-3.1`, else `derived`. */
  readonly name: string;
  /** SHA-256 of the template they were read off, hex; null: shipped. */
  readonly templateSha256: string | null;
  /** Written once, before everything; null: the template writes none. */
  readonly bosId: number | null;
  /** Opens each turn, before its role. */
  readonly turnOpenId: number;
  /** Between role and body, where it is a token of its own; null: text alone parts them. */
  readonly headerEndId: number | null;
  /** Text between header and body, such as a newline. It may merge with a body that begins with blanks. */
  readonly headerText: string;
  /** Ids of the text alone. */
  readonly headerTextIds: readonly number[];
  /** As the template opens them. */
  readonly roles: readonly TemplateRole[];
  /** The template writes whatever role a message has: none is wrong. */
  readonly anyRole: boolean;
  readonly endOfTurnId: number;
  /** Others that end a generation. */
  readonly otherEosIds: readonly number[];
  /** After the end of a turn, before the next; empty: nothing. */
  readonly separatorIds: readonly number[];
  /** What the assistant's turn is opened with, and what may follow there before the first sampled token. */
  readonly generationPromptIds: readonly number[];
  readonly prefills: readonly Prefill[];
  /** Text of the system turn that it writes where the messages have none; null: it writes none. */
  readonly defaultSystem: string | null;
  readonly think: TokenPair | null;
  /** Tool calls, where tokens of their own enclose them. */
  readonly toolCall: TokenPair | null;
  /** How tool results are written; null: the template has no way to. */
  readonly toolResult: ToolResultFormat | null;
  readonly stripsThink: boolean;
  /** Each prompt begins with the one before it, whatever the conversation. */
  readonly appendOnly: boolean;
}

export interface TemplateRole {
  readonly name: string;
  readonly ids: readonly number[];
}

/** Written by the template after the generation prompt, and never sampled. */
export interface Prefill {
  readonly ids: readonly number[];
  /** Template variables that it is written under, such as enable_thinking false. */
  readonly vars: Readonly<Record<string, boolean>>;
}

export interface TokenPair {
  readonly openId: number;
  readonly closeId: number;
}

export interface ToolResultFormat {
  /** Role of the turn that holds them. */
  readonly role: string;
  /** Around each of them; both empty: the body is the result. */
  readonly openText: string;
  readonly closeText: string;
}

/** All that a conversation cannot hold in its texts: what the template alone writes, or an engine stops at. */
export function controlIdsOf(rules: TemplateRules): ReadonlySet<number> {
  const ids = [rules.turnOpenId, rules.endOfTurnId, ...rules.otherEosIds];
  if (rules.bosId !== null) ids.push(rules.bosId);
  if (rules.headerEndId !== null) ids.push(rules.headerEndId);
  return new Set(ids);
}

/** What a generation may end on. */
export function endIdsOf(rules: TemplateRules): ReadonlySet<number> {
  return new Set([rules.endOfTurnId, ...rules.otherEosIds]);
}
