import type { BulkReader } from './port.ts';
import { setParams } from './set-params.ts';
import type { Statements } from './statements.ts';
import { storeError } from './store-error.ts';

/** On a connection of its own: one runs a statement at a time, and lanes must not wait for a long one. */
export function createEmbeddedBulkReader(statements: Statements): BulkReader {
  return {
    async read(sql, params = {}) {
      try {
        await setParams(statements, params);
        return await statements.read(`${sql}\nFORMAT RowBinary`);
      } catch (cause) {
        throw storeError(cause, 'reading from the store');
      }
    },
    close: () => statements.close(),
  };
}
