const WORDS = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
  'model_length',
  'abort',
  'aborted',
  'incomplete',
  'error',
]);
/** SGLang gives an object whose `type` is the reason. */
const TYPE = /"type"\s*:\s*"([a-z_]{1,40})"/;

/** The sampler was stopped before the model was done, as the engine says; null: it says nothing. */
export function isCut(finishReason: string | null): boolean | null {
  if (finishReason === null || finishReason === '') return null;
  const word = finishReason.startsWith('{') ? (TYPE.exec(finishReason.slice(0, 4_000))?.[1] ?? '') : finishReason;
  return WORDS.has(word.toLowerCase());
}
