import avsc, { type Type } from 'avsc';

/** The type of a field of a record; an Error where it has none. */
export function fieldType(record: Type, name: string): Type | Error {
  const found =
    record instanceof avsc.types.RecordType ? record.fields.find((field) => field.name === name) : undefined;
  return found?.type ?? new Error(`${record.name ?? record.typeName} has no field ${name}`);
}
