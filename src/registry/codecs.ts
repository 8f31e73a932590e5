import type { Schema, Type } from 'avsc';
import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import { frame, HEADER_BYTES, schemaIdOf } from '../../processors/decode/wire-format.ts';
import { deadLetter, type Outcome, ok } from '../../processors/model/outcome.ts';
import { RollstreamError } from '../errors.ts';
import { fieldType } from './field-type.ts';
import type { Registry } from './port.ts';
import { createWriterTypes } from './writer-types.ts';

export type Encode<Init> = (value: Init) => Buffer;
export type Decode<Value> = (record: Buffer) => Outcome<Value>;

export interface Codecs {
  /**
   * Registers `schema` under `subject`. The encoder throws RS_INPUT_REFUSED, naming the field, when a value does not fit: check
   * values from outside before.
   */
  encoderOf<Init>(subject: string, schema: Schema): Promise<Encode<Init>>;
  /** Decodes into the shape of `schema`, whatever version wrote it. Never throws for what is in the bytes. */
  decoderOf<Value>(schema: Schema): Decode<Value>;
  /** The same for the bare value of one field, which stands elsewhere than the record: `id` is of the schema that the record names. */
  decoderOfField<Value>(schema: Schema, field: string): (id: number, bytes: Buffer) => Outcome<Value>;
  /**
   * Loads the schemas of a batch, before it is decoded: ask with `schemaIdOf` of each record. Rejects with
   * RS_REGISTRY_UNREACHABLE on an outage, which is back-pressure and never poison.
   */
  prepare(ids: Iterable<number>): Promise<void>;
}

export function createCodecs(registry: Registry, options: { now?: () => number; unknownForMs?: number } = {}): Codecs {
  const writers = createWriterTypes(registry, options.now ?? Date.now, options.unknownForMs ?? 30_000);

  return {
    async encoderOf(subject, schema) {
      const type = avroTypeOf(schema);
      const id = await registry.register(subject, schema);
      return (value) => {
        try {
          return frame(id, type, value);
        } catch (cause) {
          throw refusal(type, value, cause);
        }
      };
    },

    decoderOf<Value>(schema: Schema): Decode<Value> {
      const reader = avroTypeOf(schema);
      const readers = new Map<number, Decode<Value>>();
      return (record) => {
        const id = schemaIdOf(record);
        if (typeof id !== 'number') return { kind: 'dead_letter', fault: id };
        let read = readers.get(id);
        if (read === undefined) {
          const writer = writers.get(id);
          if (writer === null) return deadLetter('decode', 'unknown_schema', '', 'a registered schema id', `${id}`);
          read = readerOf(reader, writer, id);
          readers.set(id, read);
        }
        return read(record);
      };
    },

    decoderOfField<Value>(schema: Schema, field: string) {
      const reader = fieldType(avroTypeOf(schema), field);
      if (reader instanceof Error) throw reader;
      return (id, bytes) => {
        const writer = writers.get(id);
        if (writer === null) return deadLetter('decode', 'unknown_schema', '', 'a registered schema id', `${id}`);
        const written = writer instanceof Error ? writer : fieldType(writer, field);
        return readerOf<Value>(reader, written, id, 0)(bytes);
      };
    },

    prepare: writers.load,
  };
}

/** Built once for each (writer's id, reader): resolving costs about a millisecond. */
function readerOf<Value>(reader: Type, writer: Type | Error, id: number, start = HEADER_BYTES): Decode<Value> {
  const name = reader.name ?? reader.typeName;
  if (writer instanceof Error) return () => undecodable('unusable_schema', `schema ${id} as Avro`, writer);
  let resolver: ReturnType<Type['createResolver']> | undefined;
  try {
    resolver = reader.equals(writer) ? undefined : reader.createResolver(writer);
  } catch (cause) {
    return () => undecodable('incompatible_schema', `a schema that resolves to ${name}`, cause);
  }
  return (record) => {
    try {
      const { value, offset } = reader.decode(record, start, resolver);
      if (offset === record.length) return ok(value);
      return offset < 0
        ? deadLetter('decode', 'truncated', '', `a whole ${name}`, `${record.length} bytes, the value goes on`)
        : deadLetter('decode', 'trailing_bytes', '', `${offset} bytes`, `${record.length} bytes`);
    } catch (cause) {
      return undecodable('undecodable', `${name} written with schema ${id}`, cause);
    }
  };
}

function undecodable(code: string, expected: string, cause: unknown): Outcome<never> {
  return deadLetter('decode', code, '', expected, cause instanceof Error ? cause.message : String(cause));
}

function refusal(type: Type, value: unknown, cause: unknown): RollstreamError {
  let field = '';
  let expected = '';
  type.isValid(value, {
    errorHook: (path, _got, wanted) => {
      field ||= path.join('.');
      expected ||= wanted.toString();
    },
  });
  const where = `${type.name ?? type.typeName}${field === '' ? '' : `.${field}`}`;
  const message = `${where}: not ${expected === '' ? 'encodable' : `of type ${expected}`}`;
  return new RollstreamError('RS_INPUT_REFUSED', message, { cause, facts: { field } });
}
