/** Words that no template writes, so that whatever stands around them is the template's. */
export const MARKS = {
  system: 'quixotry',
  user: 'zymurgy',
  laterUser: 'xylophage',
  assistant: 'borborygm',
  laterAssistant: 'widdershins',
  thought: 'flibbertigibbet',
  laterThought: 'gobbledygook',
  result: 'bumbershoot',
  laterResult: 'cattywampus',
  role: 'lollygagger',
} as const;

export interface ProbeMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly unknown[];
}

const call = (city: string): unknown => ({
  ...{ id: 'call_0', type: 'function' },
  function: { name: 'weather', arguments: { city } },
});

export const PROBE_TOOLS: readonly unknown[] = [
  {
    type: 'function',
    function: {
      ...{ name: 'weather', description: 'Weather of a city' },
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

const system: ProbeMessage = { role: 'system', content: MARKS.system };
const user: ProbeMessage = { role: 'user', content: MARKS.user };
const laterUser: ProbeMessage = { role: 'user', content: MARKS.laterUser };
const assistant: ProbeMessage = { role: 'assistant', content: MARKS.assistant };
const laterAssistant: ProbeMessage = { role: 'assistant', content: MARKS.laterAssistant };
const thinking = (thought: string, content: string): ProbeMessage => ({
  role: 'assistant',
  content: `<think>\n${thought}\n</think>\n\n${content}`,
});
const calling = (message: ProbeMessage, ...cities: string[]): ProbeMessage => ({
  ...message,
  tool_calls: cities.map(call),
});
const result: ProbeMessage = { role: 'tool', content: MARKS.result };
const laterResult: ProbeMessage = { role: 'tool', content: MARKS.laterResult };

export const PROBES = {
  user: [user],
  withSystem: [system, user],
  answered: [user, assistant],
  askedAgain: [user, assistant, laterUser],
  thoughtThenAsked: [user, thinking(MARKS.thought, MARKS.assistant), laterUser],
  called: [user, calling({ ...assistant, content: '' }, 'Oslo', 'Bern'), result, laterResult],
  otherRole: [user, assistant, { role: MARKS.role, content: MARKS.laterUser }],
} as const satisfies Record<string, readonly ProbeMessage[]>;

/** A conversation as a loop leads it, message by message. */
export interface ProbeConversation {
  readonly name: string;
  readonly messages: readonly ProbeMessage[];
  readonly usesTools: boolean;
  readonly vars: Readonly<Record<string, unknown>>;
}

const firstThought = thinking(MARKS.thought, MARKS.assistant);
const laterThought = thinking(MARKS.laterThought, MARKS.laterAssistant);
const plain = { usesTools: false, vars: {} };
const withTools = { usesTools: true, vars: {} };

/** What must only ever grow at its end, if what was sampled is to stay as it was sampled. */
export const CONVERSATIONS: readonly ProbeConversation[] = [
  { ...plain, name: 'plain turns', messages: [user, assistant, laterUser, laterAssistant, user] },
  { ...plain, name: 'plain turns after a system turn', messages: [system, user, assistant, laterUser, laterAssistant] },
  { ...plain, name: 'think turns', messages: [user, firstThought, laterUser, laterThought, user] },
  {
    ...plain,
    name: 'turns with thinking off',
    messages: [user, assistant, laterUser, laterAssistant, user],
    vars: { enable_thinking: false },
  },
  {
    ...withTools,
    name: 'a tool loop',
    messages: [user, calling(firstThought, 'Oslo'), result, calling(laterThought, 'Bern'), laterResult, laterAssistant],
  },
  {
    ...withTools,
    name: 'two calls at once, without a text',
    messages: [user, calling({ ...assistant, content: '' }, 'Oslo', 'Bern'), result, laterResult, laterAssistant],
  },
  {
    ...withTools,
    name: 'a later question after a tool loop',
    messages: [user, calling(firstThought, 'Oslo'), result, laterThought, laterUser],
  },
];
