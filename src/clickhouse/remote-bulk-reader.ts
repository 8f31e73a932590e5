import type { BulkReader } from './port.ts';
import type { Statements } from './statements.ts';
import { storeError } from './store-error.ts';

/** Over HTTP, by a client that waits longer than that of the lanes. */
export function createRemoteBulkReader(statements: Statements): BulkReader {
  return {
    async read(sql, params = {}) {
      try {
        return await statements.read(`${sql}\nFORMAT RowBinary`, params);
      } catch (cause) {
        throw storeError(cause, 'reading from the store');
      }
    },
    close: () => statements.close(),
  };
}
