import type { Type } from 'avsc';
import { avroTypeOf } from '../../processors/decode/avro-type.ts';
import type { Registry } from './port.ts';

/** Above this many unknown ids, old answers are forgotten: garbage must not fill the memory. */
const MAX_UNKNOWN = 10_000;

export interface WriterTypes {
  load(ids: Iterable<number>): Promise<void>;
  /** null: nobody registered that id. An Error: what is registered is not a schema. Throws for an id that was not loaded. */
  get(id: number): Type | Error | null;
}

/** The schemas that records were written with, each asked for once: a registered id never changes its meaning. */
export function createWriterTypes(registry: Registry, now: () => number, unknownForMs: number): WriterTypes {
  const known = new Map<number, Type | Error>();
  /** Id → when the registry said that it does not exist. It may come to exist, so the answer is good for a while only. */
  const unknown = new Map<number, number>();
  const asking = new Map<number, Promise<void>>();

  async function ask(id: number): Promise<void> {
    const schema = await registry.schemaOf(id);
    if (schema === null) {
      unknown.set(id, now());
      return;
    }
    unknown.delete(id);
    try {
      known.set(id, avroTypeOf(schema));
    } catch (cause) {
      known.set(id, cause instanceof Error ? cause : new Error(String(cause)));
    }
  }

  // Only what has expired: a batch of another lane may be between its load and its get.
  function forgetOld(): void {
    for (const [id, since] of unknown) if (now() - since > 2 * unknownForMs) unknown.delete(id);
  }

  return {
    async load(ids) {
      const missing = new Set<number>();
      for (const id of ids) {
        if (!known.has(id)) missing.add(id);
      }
      if (missing.size === 0) return;
      if (unknown.size > MAX_UNKNOWN) forgetOld();
      const answers: Promise<void>[] = [];
      for (const id of missing) {
        const since = unknown.get(id);
        if (since !== undefined && now() - since < unknownForMs) continue;
        let answer = asking.get(id);
        if (answer === undefined) {
          answer = ask(id).finally(() => asking.delete(id));
          asking.set(id, answer);
        }
        answers.push(answer);
      }
      await Promise.all(answers);
    },

    get(id) {
      const type = known.get(id);
      if (type !== undefined) return type;
      if (unknown.has(id)) return null;
      // Calling it unknown would send good records to dead-letter.
      throw new Error(`bug: schema ${id} was not loaded before decoding`);
    },
  };
}
