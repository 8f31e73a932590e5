import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEmbeddedBroker } from '../../../../src/broker/embedded/open-embedded-broker.ts';
import type { Broker } from '../../../../src/broker/port.ts';
import { createOwnerUrl, type OwnerUrl } from '../../../../src/delivery/forward/owner-url.ts';
import { createLeaseLog } from '../../../../src/delivery/log/lease-log.ts';

let folder: string;
let broker: Broker;
let ownerUrl: OwnerUrl;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rollstream-owner-'));
  broker = await openEmbeddedBroker({ folder });
  await broker.ensureTopics([{ name: 'leases', partitions: 1, compacted: true }]);
  ownerUrl = createOwnerUrl(broker, 'leases');
});
afterEach(async () => {
  await broker.close();
  await rm(folder, { recursive: true });
});

const claim = (number: number, by: string) =>
  createLeaseLog(broker, 'leases').append(`${number}.${by}.1`, {
    ...{ kind: 'claim', url: `http://${by}`, claim: number, by, seq: 1, at: 0 },
  });

it('whoever claimed a number first has it, a higher one takes it over', async () => {
  expect(await ownerUrl()).toBeNull();
  await claim(1, 'a');
  expect(await ownerUrl()).toBe('http://a');
  await claim(2, 'b');
  await claim(2, 'late');
  expect(await ownerUrl()).toBe('http://b');
  await createLeaseLog(broker, 'leases').drop(['1.a.1', '2.late.1']);
  expect(await ownerUrl()).toBe('http://b');
});

it('records of another kind are not even decoded', async () => {
  await claim(1, 'a');
  await broker.append('leases', [
    { key: 'k', value: Buffer.from('no JSON'), headers: { kind: 'grant' }, partition: 0 },
  ]);
  expect(await ownerUrl()).toBe('http://a');
});
