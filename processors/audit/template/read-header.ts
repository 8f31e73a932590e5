import type { Tokenizer } from '../../model/tokenizer.ts';
import type { TemplateRules } from './template-rules.ts';
import { textOf } from './text-of.ts';

/** What stands between the opening of a turn and its body. */
export interface TurnHeader {
  /** One of the template's roles; null: of no role that the template knows. */
  readonly role: string | null;
  /** As it is written. */
  readonly roleText: string;
  /** First token of the body. Where the header's text merged with the body, that token begins with it. */
  readonly bodyStart: number;
  /** Every token is as the template writes it. false: merged with the body, or malformed. */
  readonly isExact: boolean;
  /** It ends as the template writes it, to the letter. */
  readonly isWhole: boolean;
}

/** A role and a line end are a few tokens: what is longer is no header. */
const MOST_TOKENS = 24;

/** The header of the turn that is opened at `open`; it ends before `limit`. */
export function readHeader(
  ids: Uint32Array,
  open: number,
  limit: number,
  rules: TemplateRules,
  tokenizer: Tokenizer,
): TurnHeader {
  const from = open + 1;
  const role = rules.roles.find((candidate) =>
    candidate.ids.every((id, i) => ids[from + i] === id && from + i < limit),
  );
  if (role !== undefined) {
    let at = from + role.ids.length;
    const isEnded = rules.headerEndId === null || ids[at] === rules.headerEndId;
    if (rules.headerEndId !== null) at += 1;
    const known = { role: role.name, roleText: role.name, bodyStart: Math.min(at, limit) };
    if (isEnded && at + rules.headerTextIds.length <= limit && rules.headerTextIds.every((id, i) => ids[at + i] === id))
      return { ...known, bodyStart: at + rules.headerTextIds.length, isExact: true, isWhole: true };
    const merged = textOf(tokenizer, ids, at, Math.min(limit, at + MOST_TOKENS));
    if (isEnded && merged.startsWith(rules.headerText)) return { ...known, isExact: false, isWhole: true };
    // `user` is also how `userland` begins.
    if (isEnded && (at >= limit || /^\s/.test(merged))) return { ...known, isExact: false, isWhole: false };
    if (rules.headerEndId !== null && !isEnded && at - 1 >= limit) return { ...known, isExact: false, isWhole: false };
  }
  return unknownHeader(ids, from, limit, rules, tokenizer);
}

function unknownHeader(
  ids: Uint32Array,
  from: number,
  limit: number,
  rules: TemplateRules,
  tokenizer: Tokenizer,
): TurnHeader {
  const most = Math.min(limit, from + MOST_TOKENS, nextOpening(ids, from, rules));
  const stop = rules.headerEndId === null ? -1 : ids.subarray(from, most).indexOf(rules.headerEndId);
  const end = stop === -1 ? most : from + stop;
  const text = textOf(tokenizer, ids, from, end);
  const roleText = rules.headerEndId === null ? (/^[^\s<]{0,64}/.exec(text)?.[0] ?? '') : text.slice(0, 64);
  const bodyStart = rules.headerEndId !== null && stop !== -1 ? end + 1 : from;
  const known = rules.anyRole && stop !== -1 ? roleText : null;
  const rest = textOf(tokenizer, ids, bodyStart, Math.min(most, bodyStart + MOST_TOKENS));
  const isWhole = rules.headerEndId === null || (stop !== -1 && rest.startsWith(rules.headerText));
  return { role: known, roleText, bodyStart, isExact: false, isWhole };
}

function nextOpening(ids: Uint32Array, from: number, { turnOpenId }: TemplateRules): number {
  const at = ids.subarray(from, from + MOST_TOKENS).indexOf(turnOpenId);
  return at === -1 ? ids.length : from + at;
}
