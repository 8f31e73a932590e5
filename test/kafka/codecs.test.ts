import { randomUUID } from 'node:crypto';
import { SchemaRegistry } from '@kafkajs/confluent-schema-registry';
import type { Schema } from 'avsc';
import { expect, inject, it } from 'vitest';
import { schemaIdOf } from '../../processors/decode/wire-format.ts';
import { createCodecs } from '../../src/registry/codecs.ts';
import { openConfluentRegistry } from '../../src/registry/confluent/open-confluent-registry.ts';

/** Records of other builds and of other clients, through a real registry. */

const url = inject('services').registry;
const codecs = createCodecs(openConfluentRegistry({ url }));
const version = (fields: ReadonlyArray<{ name: string; type: string; default?: unknown }>): Schema =>
  JSON.parse(JSON.stringify({ type: 'record', name: 'Event', namespace: 'test', fields }));

const before = version([{ name: 'a', type: 'int' }]);
const after = version([
  { name: 'a', type: 'int' },
  { name: 'b', type: 'string', default: 'none' },
]);

async function read(reader: Schema, record: Buffer): Promise<unknown> {
  const id = schemaIdOf(record);
  if (typeof id !== 'number') throw new Error('not framed');
  await codecs.prepare([id]);
  return codecs.decoderOf(reader)(record);
}

it('a producer one version behind and one ahead are both understood', async () => {
  const subject = `codecs-${randomUUID()}`;
  const old = (await codecs.encoderOf<{ a: number }>(subject, before))({ a: 1 });
  const young = (await codecs.encoderOf<{ a: number; b: string }>(subject, after))({ a: 2, b: 'x' });
  expect(schemaIdOf(old)).not.toBe(schemaIdOf(young));
  expect(await read(after, old)).toMatchObject({ kind: 'ok', value: { a: 1, b: 'none' } });
  expect(await read(before, young)).toMatchObject({ kind: 'ok', value: { a: 2 } });
});

it('a record that another client wrote is understood, and it understands ours', async () => {
  const subject = `codecs-${randomUUID()}`;
  const ours = (await codecs.encoderOf<{ a: number }>(subject, before))({ a: 7 });
  const foreign = new SchemaRegistry({ host: url });
  expect({ ...(await foreign.decode(ours)) }).toEqual({ a: 7 });
  const id = schemaIdOf(ours);
  const theirs = await foreign.encode(typeof id === 'number' ? id : 0, { a: 8 });
  expect(await read(before, theirs)).toMatchObject({ kind: 'ok', value: { a: 8 } });
});

it('what another client registers later is held to the level that was set before the first version', async () => {
  const subject = `codecs-${randomUUID()}`;
  await codecs.encoderOf(subject, before);
  const level = await fetch(`${url}/config/${subject}`);
  expect(await level.json()).toEqual({ compatibilityLevel: 'BACKWARD_TRANSITIVE' });
  const headers = { 'content-type': 'application/vnd.schemaregistry.v1+json' };
  const body = JSON.stringify({ schema: JSON.stringify(version([{ name: 'a', type: 'string' }])) });
  const refused = await fetch(`${url}/subjects/${subject}/versions`, { method: 'POST', headers, body });
  expect(refused.status).toBe(409);
});

it('an id that nobody registered is poison, not an outage', async () => {
  const record = Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 2]);
  expect(await read(before, record)).toMatchObject({ kind: 'dead_letter', fault: { code: 'unknown_schema' } });
});

it('processes that register a new subject at once all succeed, and get one id', async () => {
  const subject = `codecs-${randomUUID()}`;
  const registries = Array.from({ length: 8 }, () => openConfluentRegistry({ url }));
  const ids = await Promise.all(registries.map((registry) => registry.register(subject, before)));
  expect(new Set(ids).size).toBe(1);
});
