import type { Tokenizer } from '../../model/tokenizer.ts';
import type { TemplateRules } from './template-rules.ts';

const NEWLINE = 198;

const QWEN_ROLES = [
  { name: 'system', ids: [8948] },
  { name: 'user', ids: [872] },
  { name: 'assistant', ids: [77091] },
];
const QWEN_RESULT = { role: 'user', openText: '<tool_response>\n', closeText: '\n</tool_response>' };

/** `<|im_start|>role\n … <|im_end|>\n` */
const QWEN = {
  templateSha256: null,
  bosId: null,
  turnOpenId: 151644,
  headerEndId: null,
  headerText: '\n',
  headerTextIds: [NEWLINE],
  roles: QWEN_ROLES,
  anyRole: false,
  endOfTurnId: 151645,
  otherEosIds: [151643],
  separatorIds: [NEWLINE],
  generationPromptIds: [151644, 77091, NEWLINE],
  toolCall: { openId: 151657, closeId: 151658 },
  toolResult: QWEN_RESULT,
};

/** `<|start_header_id|>role<|end_header_id|>\n\n … <|eot_id|>` */
const LLAMA = {
  templateSha256: null,
  bosId: 128000,
  turnOpenId: 128006,
  headerEndId: 128007,
  headerText: '\n\n',
  headerTextIds: [271],
  endOfTurnId: 128009,
  separatorIds: [],
  generationPromptIds: [128006, 78191, 128007, 271],
  prefills: [],
  think: null,
  toolCall: null,
  stripsThink: false,
  appendOnly: true,
};
const LLAMA_ROLES = [
  { name: 'system', ids: [9125] },
  { name: 'user', ids: [882] },
  { name: 'assistant', ids: [78191] },
];

/** Used where a folder has no template. Each equals what is derived from the template of its model. */
export const SHIPPED_RULES: readonly TemplateRules[] = [
  {
    ...QWEN,
    name: 'qwen3',
    prefills: [{ ids: [151667, 271, 151668, 271], vars: { enable_thinking: false } }],
    defaultSystem: null,
    think: { openId: 151667, closeId: 151668 },
    stripsThink: true,
    appendOnly: false,
  },
  {
    ...QWEN,
    name: 'qwen2.5',
    prefills: [],
    defaultSystem: 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.',
    think: null,
    stripsThink: false,
    appendOnly: true,
  },
  {
    ...LLAMA,
    name: 'llama-3',
    roles: [...LLAMA_ROLES, { name: 'tool', ids: [14506] }],
    anyRole: true,
    otherEosIds: [128001],
    defaultSystem: null,
    toolResult: { role: 'tool', openText: '', closeText: '' },
  },
  {
    ...LLAMA,
    name: 'llama-3.1',
    roles: [...LLAMA_ROLES, { name: 'ipython', ids: [23799, 4690] }],
    anyRole: false,
    otherEosIds: [128001, 128008],
    // With the date of the day: only that there is one is known.
    defaultSystem: '',
    toolResult: { role: 'ipython', openText: '', closeText: '' },
  },
];

/** Tokens that tell one family from another, id and content. */
const FINGERPRINTS: ReadonlyArray<{
  readonly name: string;
  readonly tokens: ReadonlyArray<readonly [number, string]>;
}> = [
  {
    name: 'qwen3',
    tokens: [
      [151644, '<|im_start|>'],
      [151657, '<tool_call>'],
      [151667, '<think>'],
    ],
  },
  {
    name: 'qwen2.5',
    tokens: [
      [151644, '<|im_start|>'],
      [151657, '<tool_call>'],
    ],
  },
  {
    name: 'llama-3.1',
    tokens: [
      [128006, '<|start_header_id|>'],
      [128008, '<|eom_id|>'],
    ],
  },
  { name: 'llama-3', tokens: [[128006, '<|start_header_id|>']] },
];

/** By the tokens of its vocabulary, the most particular first; null: of none of these families. */
export function shippedRulesFor(tokenizer: Pick<Tokenizer, 'added'>): TemplateRules | null {
  const family = FINGERPRINTS.find(({ tokens }) =>
    tokens.every(([id, content]) => tokenizer.added.get(id)?.content === content),
  );
  return SHIPPED_RULES.find(({ name }) => name === family?.name) ?? null;
}
