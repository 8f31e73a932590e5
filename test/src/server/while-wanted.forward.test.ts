import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { createForwardRequest } from '../../../src/delivery/forward/forward-request.ts';
import { type Listener, listen } from '../../../src/server/listen.ts';
import { createWhileWanted } from '../../../src/server/while-wanted.ts';
import { sampleBatch } from './sample-batch.ts';
import { deliveryApp, scriptedDelivery } from './scripted-delivery.ts';

const opened: Listener[] = [];
afterEach(async () => {
  for (const listener of opened.splice(0)) await listener.close(0);
});

/** A server that forwards to one that grants, over sockets; the lease that is asked for there comes when it is told to. */
async function forwarding() {
  const polled = new EventTarget();
  let given: AbortSignal | undefined;
  const owner = deliveryApp(
    scriptedDelivery({
      lease: (_, signal) => {
        given = signal;
        polled.dispatchEvent(new Event('asked'));
        return new Promise((resolve) => {
          polled.addEventListener('grant', () => resolve(sampleBatch([])));
          signal.addEventListener('abort', () => polled.dispatchEvent(new Event('gone')));
        });
      },
    }).delivery,
  );
  const grants = await listen('127.0.0.1', 0, (request) => owner.fetch(request));
  opened.push(grants);
  const closing = new AbortController();
  const whileWanted = createWhileWanted(closing.signal);
  const log = pino({ level: 'silent' });
  const isOwner = () => false;
  const forward = createForwardRequest({ isOwner, ownerUrl: async () => grants.url, ownUrl: 'http://other', log });
  const client = new AbortController();
  const body = JSON.stringify({ run: 'r', consumer: 'c', batch_index: 0, count: 1, wait_ms: 60_000 });
  const init = { method: 'POST', body, signal: client.signal };
  const asked = once(polled, 'asked');
  const answer = forward(new Request('http://127.0.0.1/v1/leases', init), whileWanted);
  answer.catch(() => undefined);
  await asked;
  return { answer, client, closing, polled, given: () => given };
}

describe('a poll that is forwarded', () => {
  it('is answered as the one that grants answers', async () => {
    const { answer, polled } = await forwarding();
    polled.dispatchEvent(new Event('grant'));
    expect(await (await answer)?.json()).toMatchObject({ lease: '3.ab12.17' });
  });

  it('is told to ask again when this server closes, and is given up there', async () => {
    const { answer, closing, polled } = await forwarding();
    const gone = once(polled, 'gone');
    closing.abort();
    await expect(answer).rejects.toMatchObject({ code: 'RS_INTERRUPTED' });
    await gone;
  });

  it('ends there when its client goes away here', async () => {
    const { answer, client, polled, given } = await forwarding();
    expect(given()?.aborted).toBe(false);
    const gone = once(polled, 'gone');
    client.abort();
    await expect(answer).rejects.toMatchObject({ code: 'RS_STARTING' });
    await gone;
  });
});
