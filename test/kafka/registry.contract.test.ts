import { inject } from 'vitest';
import { openConfluentRegistry } from '../../src/registry/confluent/open-confluent-registry.ts';
import { registryContract } from '../contract/registry.ts';

registryContract('a Confluent registry', async () => openConfluentRegistry({ url: inject('services').registry }));
