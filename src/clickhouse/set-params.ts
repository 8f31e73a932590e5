import type { QueryParams } from './port.ts';
import { paramText } from './query-form.ts';
import { sqlString } from './sql-string.ts';
import type { Statements } from './statements.ts';

/**
 * Parameters of the next statements of a connection of its own. Given to the binding, they would let no other statement with
 * parameters run until this one has ended.
 */
export async function setParams(statements: Pick<Statements, 'run'>, params: QueryParams): Promise<void> {
  for (const [name, value] of Object.entries(params))
    await statements.run(`SET param_${name} = ${sqlString(paramText(value))}`);
}
