import type { Asked } from './asked.ts';
import type { EngineDialect } from './engine-config.ts';

/** Where a path leads. */
export type EngineRoute =
  | { readonly kind: 'call'; readonly route: Asked['route']; readonly dialect: Asked['dialect'] }
  | {
      readonly kind: 'models' | 'health' | 'version' | 'model_info' | 'server_info';
      readonly dialect: Asked['dialect'];
    };

/** null: there is nothing. A dialect in front of a path is that one's; else `/v1` is the first that is served. */
export function routeOf(method: string, path: string, dialect: EngineDialect): EngineRoute | null {
  const [, prefix, rest = ''] = /^\/(sglang|vllm)(\/.*)$/.exec(path) ?? [];
  if (prefix !== undefined && dialect !== 'both' && dialect !== prefix) return null;
  const named = prefix === 'sglang' || prefix === 'vllm' ? prefix : null;
  const at = named === null ? path : rest;
  const openAi = named ?? (dialect === 'sglang' ? 'sglang' : 'vllm');
  const speaksSglang = named === null ? dialect !== 'vllm' : named === 'sglang';
  if (method === 'POST') {
    if (at === '/generate' && speaksSglang) return { kind: 'call', route: 'generate', dialect: 'sglang' };
    if (at === '/v1/chat/completions') return { kind: 'call', route: 'chat', dialect: openAi };
    if (at === '/v1/completions') return { kind: 'call', route: 'completions', dialect: openAi };
    return null;
  }
  if (at === '/v1/models') return { kind: 'models', dialect: openAi };
  if (at === '/health' || at === '/health_generate' || at === '/ping') return { kind: 'health', dialect: openAi };
  if (at === '/version' && openAi === 'vllm') return { kind: 'version', dialect: openAi };
  if ((at === '/get_model_info' || at === '/model_info') && speaksSglang)
    return { kind: 'model_info', dialect: 'sglang' };
  if ((at === '/get_server_info' || at === '/server_info') && speaksSglang)
    return { kind: 'server_info', dialect: 'sglang' };
  return null;
}
