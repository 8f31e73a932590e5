import type { DecidedKey } from './decided-pages.ts';

/** An attempt of the scope that is not in the file. */
export interface LeftOut {
  readonly rollout_id: string;
  readonly attempt: number;
  readonly reason: string;
}

/** Begins the lines that are no data. */
const PREFIX = '{"left_out":';

export function leftOutLine(
  { rollout_id, attempt }: Pick<DecidedKey, 'rollout_id' | 'attempt'>,
  reason: string,
): string {
  const leftOut: LeftOut = { rollout_id, attempt, reason };
  return `${PREFIX}${JSON.stringify(leftOut)}}\n`;
}

/** null: the line is data. */
export function readLeftOut(line: Buffer): LeftOut | null {
  if (line.toString('utf8', 0, PREFIX.length) !== PREFIX) return null;
  const { left_out }: { left_out: LeftOut } = JSON.parse(line.toString());
  return left_out;
}
