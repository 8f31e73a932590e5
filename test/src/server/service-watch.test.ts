import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../../src/observe/create-logger.ts';
import { type ServiceWatch, watchServices } from '../../../src/server/service-watch.ts';

/** A service that answers as it is told, and says each time that it was asked. */
function service(name: string) {
  const asked: (() => void)[] = [];
  let answer: () => Promise<unknown> = async () => undefined;
  return {
    watched: {
      name,
      ask: () => {
        for (const wake of asked.splice(0)) wake();
        return answer();
      },
    },
    answers(next: () => Promise<unknown>) {
      answer = next;
    },
    /** Resolves when it is asked the second time from now on: the first answer has then been heard. */
    async askedTwice() {
      for (let times = 0; times < 2; times += 1) await new Promise<void>((resolve) => asked.push(resolve));
    },
  };
}

function watch(services: Parameters<typeof watchServices>[0], answerMs = 5_000): ServiceWatch & { said: PassThrough } {
  const said = new PassThrough();
  const started = watchServices(services, { log: createLogger('info', said), everyMs: 1, answerMs });
  onTestFinished(() => started.close());
  return { ...started, said };
}

it('an outage is told with its reason while it lasts, and a log line says when it begins and ends', async () => {
  const store = service('clickhouse');
  const watching = watch([store.watched, service('kafka').watched]);
  await store.askedTwice();
  expect(watching.outage()).toBe('');

  store.answers(() => Promise.reject(new Error('connect ECONNREFUSED')));
  await store.askedTwice();
  await store.askedTwice();
  expect(watching.outage()).toBe('clickhouse: connect ECONNREFUSED');
  expect(Object.fromEntries(watching.status())).toEqual({ clickhouse: false, kafka: true });

  store.answers(async () => undefined);
  await store.askedTwice();
  expect(watching.outage()).toBe('');
  const lines = String(watching.said.read())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).msg);
  expect(lines).toEqual(['does not answer', 'answers again']);
});

it('a service that never answers is an outage too', async () => {
  const registry = service('registry');
  registry.answers(() => new Promise(() => {}));
  const watching = watch([registry.watched], 1);
  await once(watching.said, 'readable');
  expect(watching.outage()).toBe('registry: no answer within 1 ms');
});
