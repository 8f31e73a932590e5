import type { ServerResponse } from 'node:http';
import type { EngineRoute } from './engine-routes.ts';
import type { EngineState } from './engine-state.ts';
import { CONTEXT_TOKENS } from './read-asked.ts';
import { sendJson } from './refuse.ts';

/** No release of either engine, so that nobody takes it for one. */
const VERSION = '0.0.0-rollstream-conform';

/** What engines tell of themselves. */
export function tellOfItself(
  { kind, dialect }: EngineRoute,
  response: ServerResponse,
  { model, now, vocabulary }: EngineState,
): void {
  if (kind === 'health') {
    response.writeHead(200, { 'content-length': 0 });
    response.end();
    return;
  }
  const served = { model_path: model, tokenizer_path: model, is_generation: true, weight_version: 'v1' };
  const card = { id: model, object: 'model', created: Math.floor(now() / 1000), owned_by: dialect, root: model };
  const bodies = {
    version: { version: VERSION },
    model_info: { ...served, has_image_understanding: false },
    server_info: { ...served, vocab_size: vocabulary.size, version: VERSION },
    models: { object: 'list', data: [{ ...card, max_model_len: CONTEXT_TOKENS }] },
  };
  if (kind !== 'call') sendJson(response, 200, bodies[kind]);
}
