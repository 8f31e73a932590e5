import { sqlString } from './sql-string.ts';
import type { Statements } from './statements.ts';

/** Sets them for as long as the connection lives, in their order. */
export async function applySettings(
  statements: Statements,
  settings: Readonly<Record<string, string | number>>,
): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    await statements.run(`SET ${name} = ${typeof value === 'number' ? value : sqlString(value)}`);
  }
}
