import type { Answer } from '../../../../../src/conform/engine/answer.ts';
import type { Asked } from '../../../../../src/conform/engine/asked.ts';

const ASKED: Asked = {
  ...{ route: 'chat', dialect: 'vllm', stream: false, promptIds: [7, 8, 9], promptSentAsIds: false, messages: [] },
  ...{ parsesCalls: false, toolNames: [], maxTokens: null, stopTexts: [], stopIds: [], skipSpecialTokens: true },
  ...{ keepsStop: false, logprobs: null, logprobStart: -1, textInLogprobs: true, tokensAsIds: false },
  ...{ returnTokenIds: false, returnPromptIds: false, returnMetaInfo: false, extInputIds: false, extOutputIds: false },
  ...{ includeUsage: false, model: 'm', requestId: 'r' },
};

/** `Hi`, `!` and an end token that is not shown, as an engine would have sampled them. */
export function handAnswer(asked: Partial<Asked>, answer: Partial<Answer> = {}): Answer {
  return {
    asked: { ...ASKED, ...asked },
    ...{ ids: [40, 0, 99], logprobs: [-0.5, -0.25, -0.125], promptLogprobs: [], deltas: ['Hi', '!', ''], text: 'Hi!' },
    ...{ finish: { type: 'stop', matched: 99 }, spans: [{ start: 0, version: 'v1' }], opensInThought: false },
    ...{ endsPlainly: true, cachedTokens: 0, createdS: 5 },
    textOf: (id) => ({ 40: 'Hi', 0: '!', 99: '<end>' })[id] ?? '?',
    ...answer,
  };
}

/** What a client reads of a stream, event by event; the last is `[DONE]`. */
export function eventsOf(frames: Iterable<{ readonly text: string }>): string[] {
  return [...frames].map(({ text }) => {
    if (!text.startsWith('data: ') || !text.endsWith('\n\n')) throw new Error(`no event: ${text}`);
    return text.slice('data: '.length, -2);
  });
}
