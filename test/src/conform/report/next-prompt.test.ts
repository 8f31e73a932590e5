import { describe, expect, it } from 'vitest';
import { commonLength, nextPromptOf } from '../../../../src/conform/report/next-prompt.ts';
import { call, following } from './hand-made.ts';

const first = call({ rawText: 'hm<|im_end|>' });
const resultsOf = (added: string) =>
  nextPromptOf(first, following(first, '', { promptText: `${first.promptText}${first.rawText}${added}` })).results;

describe('tool results in a prompt that is no list of messages', () => {
  it('are read where the template tags them, or gives them a turn', () => {
    const tagged = '<tool_response>\na\n</tool_response>\n<tool_response>\nb\n</tool_response>';
    expect(resultsOf(`\n<|im_start|>user\n${tagged}<|im_end|>\n`)).toEqual(['a', 'b']);
    expect(resultsOf('\n<|im_start|>tool\nfound<|im_end|>\n<|im_start|>assistant\n')).toEqual(['found']);
  });

  it('are none where nothing is said, and untold where something else is', () => {
    const readOf = (added: string) => {
      const on = following(first, '', { promptText: `${first.promptText}${first.rawText}${added}` });
      const { results, isAllRead } = nextPromptOf(first, on);
      return { results, isAllRead };
    };
    expect(readOf('\n<|im_start|>assistant\n')).toEqual({ results: [], isAllRead: true });
    expect(readOf('\n<|im_start|>user\nand now?<|im_end|>\n')).toEqual({ results: [], isAllRead: false });
    expect(readOf('<|observation|>found<|assistant|>')).toEqual({ results: [], isAllRead: false });
  });

  it('are those after the last turn of the model, where all that stood before is written anew', () => {
    const anew =
      '\n<|im_start|>tool\nearlier<|im_end|>\n<|im_start|>assistant\nhm<|im_end|>\n<|im_start|>tool\nfound<|im_end|>\n';
    expect(resultsOf(`${anew}<|im_start|>assistant\n`)).toEqual(['found']);
  });

  it('are seen in any template where they say what was executed', () => {
    expect(resultsOf('<|observation|>executed search {"query": "x"}<|assistant|>')).toEqual([
      'executed search {"query": "x"}',
    ]);
  });
});

it('a chat tells what the client made of the answer, and the results after it', () => {
  const messages = [
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'hm' }],
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'search', arguments: '{"query":"x"}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'found' },
  ];
  expect(nextPromptOf(first, following(first, '', { messages, route: 'chat' }))).toMatchObject({
    history: { content: 'hm', calls: [{ name: 'search', arguments: '{"query":"x"}' }] },
    results: ['found'],
  });
});

it('what is added begins where the text parts from what stood there', () => {
  const next = nextPromptOf(
    first,
    following(first, '', { promptText: 'user: go\nhm<|im_end|>\nmore', promptIds: [1, 2, 9] }),
  );
  expect(next).toMatchObject({ addedText: '\nmore', isSameText: true, commonPrefix: 2, heldIds: [1, 2, 3, 10, 99] });
  expect(commonLength('abc', 'abd')).toBe(2);
});
