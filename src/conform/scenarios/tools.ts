/** The two tools that every task offers, as OpenAI's APIs write them. */
export const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'search',
      description: 'Look something up and return what was found.',
      parameters: {
        type: 'object',
        properties: { query: { type: 'string', description: 'What to look up.' } },
        required: ['query'],
      },
    },
  },
  {
    type: 'function',
    function: {
      name: 'calculator',
      description: 'Evaluate an arithmetic expression and return its value.',
      parameters: {
        type: 'object',
        properties: { expression: { type: 'string', description: 'What to evaluate, such as 2 * (3 + 4).' } },
        required: ['expression'],
      },
    },
  },
] as const;
