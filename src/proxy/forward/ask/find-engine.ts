import type { IncomingMessage } from 'node:http';
import { type RawHeaders, valuesOf } from '../forwarded-headers.ts';
import type { ModelRoute } from '../model-route.ts';
import type { Problems } from '../problems.ts';
import type { Upstream } from '../upstream.ts';
import type { Engine } from './what-to-ask.ts';

/** Which engine the upstream is. */
export interface FindEngine {
  (route: ModelRoute, rawHeaders: RawHeaders): Promise<Engine>;
  /** null: nobody has called it yet, or it has not said. */
  known(): Engine | null;
}

const PROBE_MS = 2_000;
const MOST_BYTES = 256 * 1024;
/** An upstream that did not say is asked again after so long. */
const AGAIN_MS = 5_000;

export function knownEngine(engine: Engine): FindEngine {
  return Object.assign(async () => engine, { known: () => engine });
}

/**
 * By `owned_by` of the models that it lists: `vllm` and `sglang` write their names there. Asked with the authorization of the first call,
 * since the proxy has none of its own. One that cannot be asked is `openai` for now: nothing is asked of it beyond what the client does.
 */
export function createFindEngine(upstream: Upstream, now: () => number, problems: Problems): FindEngine {
  let known: Engine | null = null;
  let asking: Promise<Engine | null> | null = null;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  async function findEngine(route: ModelRoute, rawHeaders: RawHeaders): Promise<Engine> {
    // vLLM's own server has no such route; one that speaks both answers it as SGLang.
    if (route === 'generate') return 'sglang';
    if (known !== null) return known;
    if (asking === null) {
      if (now() - askedAtMs < AGAIN_MS) return 'openai';
      askedAtMs = now();
      asking = probe(upstream, rawHeaders).catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error);
        const what = 'nothing is asked of it until it does, or --engine says it';
        problems.say('engine', `${upstream.host} did not say which engine it is (/v1/models: ${why}): ${what}`);
        return null;
      });
    }
    const found = await asking;
    asking = null;
    known ??= found;
    return known ?? 'openai';
  }
  return Object.assign(findEngine, { known: () => known });
}

async function probe(upstream: Upstream, rawHeaders: RawHeaders): Promise<Engine> {
  const authorization = valuesOf(rawHeaders, 'authorization').flatMap((value) => ['authorization', value]);
  const request = await upstream.open({
    method: 'GET',
    target: '/v1/models',
    headers: ['host', upstream.host, 'accept', 'application/json', ...authorization],
  });
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request.setTimeout(PROBE_MS, () => request.destroy(new Error('it took too long')));
    request.once('error', reject);
    request.once('response', resolve);
    request.end();
  });
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MOST_BYTES) throw new Error('that is no list of models');
  }
  if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`);
  return engineOf(JSON.parse(text));
}

function engineOf(models: { data?: Array<{ owned_by?: unknown }> }): Engine {
  const owners = (models.data ?? []).map(({ owned_by }) => owned_by);
  if (owners.includes('vllm')) return 'vllm';
  return owners.includes('sglang') ? 'sglang' : 'openai';
}
