const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Colours text, or leaves it. */
export type Paint = (colour: keyof typeof CODES, text: string) => string;

/** Colour only on a terminal, and never with NO_COLOR (no-color.org: set and not empty) or TERM=dumb. */
export function createPaint(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): Paint {
  const coloured = isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
  return (colour, text) => (coloured ? `\x1b[${CODES[colour]}m${text}\x1b[0m` : text);
}

export const plain: Paint = (_, text) => text;
