import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { kafkajs, type RequestQueue } from '../../../../src/broker/kafka/kafkajs.ts';
import { repairRequestQueue } from '../../../../src/broker/kafka/repair-request-queue.ts';

interface OpenQueue extends RequestQueue {
  destroy(): void;
}

function newQueue(): OpenQueue {
  const Queue: new (options: object) => OpenQueue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue');
  const logger = { debug: () => undefined };
  return new Queue({ maxInFlightRequests: 1, requestTimeout: 1000, clientId: 'test', broker: 'test', logger });
}

const request = (correlationId: number, sent: number[]) => ({
  entry: {
    apiKey: 0,
    apiName: 'Produce',
    apiVersion: 7,
    correlationId,
    resolve: () => undefined,
    reject: () => undefined,
  },
  expectResponse: true,
  requestTimeout: 1000,
  sendRequest: () => {
    sent.push(correlationId);
  },
});

it('the timer that kafkajs arms for nothing is there before the repair, and not after it', () => {
  // The test of the test: where kafkajs has mended it, the repair can go.
  const { scheduleCheckPendingRequests } = kafkajs.RequestQueue.prototype;
  const before = newQueue();
  before.scheduleCheckPendingRequests();
  expect(before.throttleCheckTimeoutId).not.toBeNull();
  before.destroy();

  repairRequestQueue(kafkajs.RequestQueue.prototype);
  expect(kafkajs.RequestQueue.prototype.scheduleCheckPendingRequests).not.toBe(scheduleCheckPendingRequests);
  const after = newQueue();
  after.scheduleCheckPendingRequests();
  expect(after.throttleCheckTimeoutId).toBeNull();
});

it('a request that has to wait is still sent', async () => {
  repairRequestQueue(kafkajs.RequestQueue.prototype);
  const queue = newQueue();
  const sent: number[] = [];
  queue.throttledUntil = Date.now() + 20;
  await new Promise<void>((resolve) => {
    queue.push({ ...request(1, sent), sendRequest: () => resolve() });
  });
  expect(queue.pending).toEqual([]);
  queue.destroy();
});
