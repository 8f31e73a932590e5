import type { TemplateRole, ToolResultFormat } from '../../../processors/audit/template/template-rules.ts';
import type { Tokenizer } from '../../../processors/model/tokenizer.ts';
import type { Probe } from './create-probe.ts';
import { MARKS, PROBES } from './probe-conversations.ts';

/** Texts and ids around a turn. */
export interface TurnFrame {
  readonly endId: number;
  readonly endText: string;
  readonly separatorText: string;
  readonly openId: number;
  readonly openText: string;
  readonly headerEndId: number | null;
  readonly headerText: string;
  /** The end of the header with its text. */
  readonly afterRole: string;
}

interface Roles {
  readonly roles: readonly TemplateRole[];
  readonly anyRole: boolean;
  readonly toolResult: ToolResultFormat | null;
  /** A conversation with calls, as it is rendered; empty: it is not. */
  readonly called: string;
}

/** Which roles there are, and how the results of tools are written. */
export async function readRoles(tokenizer: Tokenizer, render: Probe, frame: TurnFrame): Promise<Roles> {
  const names: string[] = [];
  const withSystem = await render.may(PROBES.withSystem);
  for (const [text, mark] of [
    [withSystem, MARKS.system],
    [withSystem ?? (await render.may(PROBES.user)), MARKS.user],
    [await render.may(PROBES.answered), MARKS.assistant],
  ] as const) {
    const role = text === null ? null : (turnBefore(text, mark, frame)?.role ?? null);
    if (role !== null && !names.includes(role)) names.push(role);
  }
  const called = await render.may(PROBES.called, { tools: true });
  const toolResult = called === null ? null : toolResultOf(called, frame);
  if (toolResult !== null && !names.includes(toolResult.role)) names.push(toolResult.role);
  const other = await render.may(PROBES.otherRole);
  return {
    // In a header the role stands alone between tokens, so that it is encoded as it is alone.
    roles: names.map((name) => ({ name, ids: [...tokenizer.encode(name)] })),
    anyRole: other !== null && turnBefore(other, MARKS.laterUser, frame)?.role === MARKS.role,
    toolResult,
    called: called ?? '',
  };
}

/** The turn that a word stands in: its role, and what stands between its header and the word. */
function turnBefore(
  text: string,
  word: string,
  { openText, afterRole }: TurnFrame,
): { readonly role: string; readonly opening: string } | null {
  const at = text.indexOf(word);
  const open = at === -1 ? -1 : text.lastIndexOf(openText, at);
  if (open === -1) return null;
  const header = text.slice(open + openText.length, at);
  const end = header.indexOf(afterRole);
  return end <= 0 ? null : { role: header.slice(0, end), opening: header.slice(end + afterRole.length) };
}

function toolResultOf(text: string, frame: TurnFrame): ToolResultFormat | null {
  const turn = turnBefore(text, MARKS.result, frame);
  const last = text.indexOf(MARKS.laterResult);
  if (turn === null || last === -1) return null;
  const from = last + MARKS.laterResult.length;
  const end = text.indexOf(frame.endText, from);
  if (end === -1) return null;
  return { role: turn.role, openText: turn.opening, closeText: text.slice(from, end) };
}
