import { randomUUID } from 'node:crypto';
import type { Schema } from 'avsc';
import { beforeEach, describe, expect, it } from 'vitest';
import { stepEventSchema } from '../../schemas/generated/step-event.ts';
import { trajectorySchema } from '../../schemas/generated/trajectory.ts';
import type { Registry } from '../../src/registry/port.ts';

/** What every adapter of the Registry port promises. `open` may be called again, on the same registry: a restart. */
export function registryContract(name: string, open: () => Promise<Registry>): void {
  describe(`${name} keeps the contract of a registry:`, () => {
    let registry: Registry;
    let subject: string;

    beforeEach(async () => {
      registry = await open();
      subject = `contract-${randomUUID()}`;
    });

    const record = (fields: ReadonlyArray<{ name: string; type: string; default?: unknown }>): Schema =>
      JSON.parse(JSON.stringify({ type: 'record', name: 'R', fields }));

    it('an id stays, also after a restart, and gives the schema back whole', async () => {
      const steps = await registry.register(subject, stepEventSchema);
      const ready = await registry.register(`${subject}-ready`, trajectorySchema);
      expect(steps).not.toBe(ready);
      const again = await open();
      expect(await again.schemaOf(steps)).toEqual(stepEventSchema);
      expect(await again.schemaOf(ready)).toEqual(trajectorySchema);
      expect(await again.register(subject, stepEventSchema)).toBe(steps);
    });

    it('a schema has one id under a subject, whatever the order of its keys', async () => {
      const id = await registry.register(subject, { type: 'fixed', name: 'Hash', size: 16 });
      expect(await registry.register(subject, { name: 'Hash', size: 16, type: 'fixed' })).toBe(id);
    });

    it('an id that nobody registered is null', async () => {
      await registry.register(subject, stepEventSchema);
      for (const id of [0, 4_294_967_295]) expect(await registry.schemaOf(id)).toBeNull();
    });

    it('registrations at once get one id each', async () => {
      const ids = await Promise.all([
        registry.register(subject, trajectorySchema),
        registry.register(`${subject}-2`, stepEventSchema),
        registry.register(subject, trajectorySchema),
        registry.register(`${subject}-2`, stepEventSchema),
      ]);
      expect(ids[0]).toBe(ids[2]);
      expect(ids[1]).toBe(ids[3]);
      expect(ids[0]).not.toBe(ids[1]);
    });

    it('a next version has its own id, and the versions before keep theirs', async () => {
      const v1 = record([{ name: 'a', type: 'int' }]);
      const v2 = record([
        { name: 'a', type: 'int' },
        { name: 'b', type: 'int', default: 0 },
      ]);
      const first = await registry.register(subject, v1);
      const second = await registry.register(subject, v2);
      expect(second).not.toBe(first);
      // A build that is rolled back writes the older one again.
      expect(await registry.register(subject, v1)).toBe(first);
    });

    it('an incompatible next version is refused, naming field and rule, and changes nothing', async () => {
      const first = await registry.register(subject, record([{ name: 'a', type: 'int' }]));
      const refused = registry.register(subject, record([{ name: 'a', type: 'string' }]));
      await expect(refused).rejects.toMatchObject({
        code: 'RS_SCHEMA_INCOMPATIBLE',
        message: expect.stringContaining('version 1: R.a: type_changed (int to string)'),
        facts: { subject, version: 1, field: 'R.a', rule: 'type_changed' },
      });
      expect(await registry.register(subject, record([{ name: 'a', type: 'int' }]))).toBe(first);
    });

    it('is compared with every version before it, not only the last', async () => {
      await registry.register(subject, record([{ name: 'a', type: 'int', default: 0 }]));
      await registry.register(subject, record([]));
      const refused = registry.register(subject, record([{ name: 'a', type: 'string', default: '' }]));
      await expect(refused).rejects.toMatchObject({ facts: { version: 1, field: 'R.a' } });
    });

    it('what is not a schema is refused', async () => {
      await expect(registry.register(subject, 'nonsense')).rejects.toMatchObject({ code: 'RS_INPUT_REFUSED' });
    });

    it('an enum keeps its default', async () => {
      const schema: Schema = { type: 'enum', name: 'E', symbols: ['a', 'b'], default: 'b' };
      const id = await registry.register(subject, schema);
      expect(await (await open()).schemaOf(id)).toEqual(schema);
    });
  });
}
