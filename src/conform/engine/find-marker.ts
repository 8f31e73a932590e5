/** Which script a prompt asks for, and where in it the prompt stands. */
export interface Marked {
  readonly scenario: string;
  readonly task: number;
}

const MARKER = /\[\[rollstream:([a-z][a-z0-9_]{0,63})#(\d{1,9})\]\]/g;

/** The last marker of a prompt; null: there is none. `at`: where it stands first, so that a tool that repeats it moves nothing. */
export function findMarker(prompt: string): (Marked & { readonly at: number }) | null {
  let last: RegExpMatchArray | null = null;
  for (const match of prompt.matchAll(MARKER)) last = match;
  if (last === null) return null;
  const [whole, scenario = '', task = ''] = last;
  return { scenario, task: Number(task), at: prompt.indexOf(whole) };
}

/** Assistant turns that were opened since then, but for the one that is to be sampled. */
export function turnOf(prompt: string, from: number, assistantOpening: string): number {
  let opened = 0;
  for (let at = prompt.indexOf(assistantOpening, from); at !== -1; at = prompt.indexOf(assistantOpening, at + 1))
    opened += 1;
  return Math.max(0, opened - 1);
}
