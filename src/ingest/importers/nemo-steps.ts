import { isObject, type JsonObject, type JsonValue } from '../exact-number.ts';
import { objectAt } from '../fields.ts';

/** What the flat list of output items is made of. Paths are kept for messages. */
export type NemoStep =
  | { readonly kind: 'call'; readonly items: readonly NemoItem[]; readonly tokensOn: NemoItem | null }
  | { readonly kind: 'result' | 'message'; readonly item: NemoItem };

export interface NemoItem {
  readonly path: string;
  readonly value: JsonObject;
}

/**
 * Cuts output items into calls. The ids of a call sit on its last item, so an item with ids ends its call; without ids a
 * call ends before a tool output or a turn of somebody else.
 */
export function nemoSteps(output: readonly JsonValue[], path: string): NemoStep[] {
  const steps: NemoStep[] = [];
  let open: NemoItem[] = [];

  function close(tokensOn: NemoItem | null): void {
    if (open.length > 0) steps.push({ kind: 'call', items: open, tokensOn });
    open = [];
  }

  for (const [i, entry] of output.entries()) {
    const item = { path: `${path}[${i}]`, value: objectAt(entry, `${path}[${i}]`) };
    const kind = kindOf(item.value);
    if (kind === 'model') {
      open.push(item);
      if (hasTokens(item.value)) close(item);
    } else {
      close(null);
      steps.push({ kind, item });
    }
  }
  close(null);
  return steps;
}

function kindOf(item: JsonObject): 'model' | 'result' | 'message' {
  const { type, role } = item;
  if (typeof type === 'string' && type.endsWith('_output')) return 'result';
  const isMessage = type === 'message' || type === undefined;
  return isMessage && role !== undefined && role !== null && role !== 'assistant' ? 'message' : 'model';
}

/** Empty arrays and nulls are what a server without token ids writes. */
function hasTokens(item: JsonObject): boolean {
  return isFilled(item.generation_token_ids) || isFilled(item.prompt_token_ids);
}

function isFilled(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

/** Text of a message item. */
export function itemText(item: JsonObject): string | null {
  const { content } = item;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : ''));
  return texts.join('');
}
