import type { BulkReader } from './port.ts';
import { paramText } from './query-form.ts';
import { sqlString } from './sql-string.ts';
import type { Statements } from './statements.ts';
import { storeError } from './store-error.ts';

/** On a connection of its own: one runs a statement at a time, and lanes must not wait for a long one. */
export function createEmbeddedBulkReader(statements: Statements): BulkReader {
  return {
    async read(sql, params = {}) {
      try {
        // Given to the binding, parameters would let no other statement with parameters run until this one has ended.
        for (const [name, value] of Object.entries(params))
          await statements.run(`SET param_${name} = ${sqlString(paramText(value))}`);
        return await statements.read(`${sql}\nFORMAT RowBinary`);
      } catch (cause) {
        throw storeError(cause, 'reading from the store');
      }
    },
    close: () => statements.close(),
  };
}
