import type { Schema } from 'avsc';

/** Schemas by id, Confluent style. */
export interface Registry {
  /** The id of `schema` under `subject`, registering it when new; RS_SCHEMA_INCOMPATIBLE if the subject's rules refuse it. */
  register(subject: string, schema: Schema): Promise<number>;
  /** null: nobody registered that id (the record is poison). Rejects with RS_REGISTRY_UNREACHABLE on an outage (back-pressure). */
  schemaOf(id: number): Promise<Schema | null>;
}
