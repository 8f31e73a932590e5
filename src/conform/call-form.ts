/** How an engine writes all of its calls: a stack is set to one parser. */
export type CallForm = (typeof CALL_FORMS)[number];

export const CALL_FORMS = ['hermes', 'qwen_xml', 'glm', 'kimi'] as const;

export function isCallForm(value: unknown): value is CallForm {
  return CALL_FORMS.some((form) => form === value);
}
