import { schemaIdOf } from '../../../processors/decode/wire-format.ts';
import type { Codecs } from '../../registry/codecs.ts';
import { type ReadyShape, readyShapeSchema } from './ready-shape.ts';

/** In the same order; an Error says why a record cannot be read. Rejects with RS_REGISTRY_UNREACHABLE on an outage. */
export type ReadRecords = (
  records: ReadonlyArray<{ readonly value: Buffer | null }>,
) => Promise<Array<ReadyShape | Error>>;

export function createReadRecords(codecs: Codecs): ReadRecords {
  const decode = codecs.decoderOf<ReadyShape>(readyShapeSchema);
  return async function readRecords(records) {
    const ids = new Set(records.flatMap(({ value }) => (value === null ? [] : [schemaIdOf(value)])));
    await codecs.prepare([...ids].filter((id) => typeof id === 'number'));
    return records.map(({ value }) => {
      if (value === null) return new Error('no value');
      const outcome = decode(value);
      if (outcome.kind === 'ok') return outcome.value;
      if (outcome.kind !== 'dead_letter') return new Error(outcome.kind);
      const { code, expected, got } = outcome.fault;
      return new Error(`${code}: ${expected} is needed, not ${got}`);
    });
  };
}
