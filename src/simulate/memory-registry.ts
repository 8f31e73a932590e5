import type { Schema } from 'avsc';
import type { Registry } from '../registry/port.ts';

/** Ids in the order of registration, one a schema. */
export function createMemoryRegistry(): Registry {
  const schemas: Schema[] = [];
  return {
    async register(_subject, schema) {
      const known = schemas.indexOf(schema);
      return known >= 0 ? known + 1 : schemas.push(schema);
    },
    schemaOf: async (id) => schemas[id - 1] ?? null,
  };
}
