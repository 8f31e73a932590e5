import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openLocalRegistry } from '../../../../src/registry/local/open-local-registry.ts';
import { registryContract } from '../../../contract/registry.ts';

const folder = await mkdtemp(join(tmpdir(), 'rollstream-registry-'));
afterAll(() => rm(folder, { recursive: true }));

registryContract('the local registry', () => openLocalRegistry({ folder }));
