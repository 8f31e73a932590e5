import { randomUUID } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { openConfluentRegistry } from '../../src/registry/confluent/open-confluent-registry.ts';
import { createRegistryHttp } from '../../src/registry/confluent/registry-http.ts';
import { createSubjectLevels } from '../../src/registry/confluent/subject-levels.ts';

const options = { url: inject('services').registry };
const http = createRegistryHttp(options);
const levels = createSubjectLevels(http);

it('a subject has no level of its own until it is raised, and keeps a stricter one', async () => {
  const subject = `level-${randomUUID()}`;
  expect(await levels.levelOf(subject)).toBeNull();
  await levels.raise(subject);
  expect(await levels.levelOf(subject)).toBe('BACKWARD_TRANSITIVE');
  await http('PUT', `/config/${subject}`, { compatibility: 'FULL_TRANSITIVE' });
  await levels.raise(subject);
  expect(await levels.levelOf(subject)).toBe('FULL_TRANSITIVE');
});

it('a level that somebody lowered is raised again', async () => {
  const subject = `level-${randomUUID()}`;
  const registry = openConfluentRegistry(options);
  await registry.register(subject, { type: 'record', name: 'R', fields: [{ name: 'a', type: 'string' }] });
  expect(await levels.versionsOf(subject)).toBe(1);
  await http('PUT', `/config/${subject}`, { compatibility: 'NONE' });
  await levels.raise(subject);
  expect(await levels.levelOf(subject)).toBe('BACKWARD_TRANSITIVE');
});
