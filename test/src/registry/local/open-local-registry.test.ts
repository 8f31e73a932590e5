import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { stepEventSchema } from '../../../../schemas/generated/step-event.ts';
import { trajectorySchema } from '../../../../schemas/generated/trajectory.ts';
import { openLocalRegistry } from '../../../../src/registry/local/open-local-registry.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-registry-'));
});
afterEach(() => rm(folder, { recursive: true }));

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
