import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Schema } from 'avsc';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stepEventSchema } from '../../../../schemas/generated/step-event.ts';
import { trajectorySchema } from '../../../../schemas/generated/trajectory.ts';
import { openLocalRegistry } from '../../../../src/registry/local/open-local-registry.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-registry-'));
});
afterEach(() => rm(folder, { recursive: true }));

const record = (fields: { name: string; type: string; default?: unknown }[]): Schema =>
  JSON.parse(JSON.stringify({ type: 'record', name: 'R', fields }));

it('ids start at 1 and stay, also after a restart', async () => {
  const first = await openLocalRegistry({ folder });
  expect(await first.register('steps', stepEventSchema)).toBe(1);
  expect(await first.register('ready', trajectorySchema)).toBe(2);

  const second = await openLocalRegistry({ folder });
  expect(await second.schemaOf(2)).toEqual(trajectorySchema);
  expect(await second.register('ready', trajectorySchema)).toBe(2);
  expect(await second.register('steps', stepEventSchema)).toBe(1);
});

it('the same schema has the same id, whatever the subject or the order of its keys', async () => {
  const registry = await openLocalRegistry({ folder });
  expect(await registry.register('ready', { type: 'fixed', name: 'Hash', size: 16 })).toBe(1);
  expect(await registry.register('held', { name: 'Hash', size: 16, type: 'fixed' })).toBe(1);
});

it('an id that nobody registered is null', async () => {
  const registry = await openLocalRegistry({ folder });
  await registry.register('steps', stepEventSchema);
  for (const id of [0, 2, 4_294_967_295]) expect(await registry.schemaOf(id)).toBeNull();
});

it('registrations at once get one id each', async () => {
  const registry = await openLocalRegistry({ folder });
  const ids = await Promise.all([
    registry.register('a', trajectorySchema),
    registry.register('b', stepEventSchema),
    registry.register('c', trajectorySchema),
    registry.register('b', stepEventSchema),
  ]);
  expect(ids).toEqual([1, 2, 1, 2]);
});

it('a next version under a subject has its own id, and the versions before keep theirs', async () => {
  const registry = await openLocalRegistry({ folder });
  const v1 = record([{ name: 'a', type: 'int' }]);
  const v2 = record([
    { name: 'a', type: 'int' },
    { name: 'b', type: 'int', default: 0 },
  ]);
  expect(await registry.register('r', v1)).toBe(1);
  expect(await registry.register('r', v2)).toBe(2);
  // A build that is rolled back writes the older one again.
  expect(await registry.register('r', v1)).toBe(1);
});

it('an incompatible next version is refused, naming field and rule, and changes nothing', async () => {
  const registry = await openLocalRegistry({ folder });
  await registry.register('r', record([{ name: 'a', type: 'int' }]));
  await expect(registry.register('r', record([{ name: 'a', type: 'string' }]))).rejects.toMatchObject({
    code: 'RS_SCHEMA_INCOMPATIBLE',
    message: expect.stringContaining('subject r, version 1: R.a: type_changed (int to string)'),
    facts: { subject: 'r', version: 1, field: 'R.a', rule: 'type_changed' },
  });
  expect(await registry.schemaOf(2)).toBeNull();
  expect(await registry.register('other', record([{ name: 'a', type: 'string' }]))).toBe(2);
});

it('is compared with every version before it, not only the last', async () => {
  const registry = await openLocalRegistry({ folder });
  await registry.register('r', record([{ name: 'a', type: 'int', default: 0 }]));
  await registry.register('r', record([]));
  await expect(registry.register('r', record([{ name: 'a', type: 'string', default: '' }]))).rejects.toMatchObject({
    facts: { version: 1, field: 'R.a' },
  });
});

it('what is not a schema is refused', async () => {
  const registry = await openLocalRegistry({ folder });
  await expect(registry.register('r', 'nonsense')).rejects.toMatchObject({ code: 'RS_INPUT_REFUSED' });
});

it('an enum keeps its default over a restart', async () => {
  const schema: Schema = { type: 'enum', name: 'E', symbols: ['a', 'b'], default: 'b' };
  await (await openLocalRegistry({ folder })).register('e', schema);
  expect(await (await openLocalRegistry({ folder })).schemaOf(1)).toEqual(schema);
});

it('a crash while writing leaves the old file: a draft beside it is ignored', async () => {
  await (await openLocalRegistry({ folder })).register('steps', stepEventSchema);
  await writeFile(join(folder, 'schemas.json.new'), '{"format":1,"subj');
  const registry = await openLocalRegistry({ folder });
  expect(await registry.schemaOf(1)).toEqual(stepEventSchema);
  expect(await registry.register('ready', trajectorySchema)).toBe(2);
  expect(await readdir(folder)).toEqual(['schemas.json']);
});

it('a damaged file, or one of another format, is refused and not begun anew', async () => {
  const damaged = ['', '{"format":1,"schemas":[{"id":"1"}],"subjects":[]}', '{"format":2}', '[]', 'null'];
  for (const text of damaged) {
    await writeFile(join(folder, 'schemas.json'), text);
    await expect(openLocalRegistry({ folder })).rejects.toMatchObject({ code: 'RS_DATA_VERSION' });
  }
});

it('a folder that cannot be written is an error, and the id is not given out', async () => {
  const registry = await openLocalRegistry({ folder: join(folder, 'inner') });
  await rm(join(folder, 'inner'), { recursive: true });
  await expect(registry.register('steps', stepEventSchema)).rejects.toMatchObject({ code: 'RS_FILE_UNREADABLE' });
  expect(await registry.schemaOf(1)).toBeNull();
});
