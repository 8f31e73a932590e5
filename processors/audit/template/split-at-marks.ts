import { controlIdsOf, type TemplateRules } from './template-rules.ts';

/** A control token, and the text that follows it: `[from, to)`. */
export interface Marked {
  /** null: before the first. */
  readonly mark: number | null;
  readonly from: number;
  readonly to: number;
}

/** A prompt, divided at what only a template writes. */
export function splitAtMarks(ids: Uint32Array, rules: TemplateRules): Marked[] {
  const controls = controlIdsOf(rules);
  const parts: Marked[] = [];
  let mark: number | null = null;
  let from = 0;
  const close = (to: number): void => {
    if (mark !== null || to > from) parts.push({ mark, from, to });
  };
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at] ?? -1;
    if (!controls.has(id)) continue;
    close(at);
    mark = id;
    from = at + 1;
  }
  close(ids.length);
  return parts;
}
