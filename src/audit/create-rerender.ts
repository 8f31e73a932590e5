import type { TemplateRules } from '../../processors/audit/template/template-rules.ts';
import type { AuditAnswer, Found } from '../../processors/model/audit-summary.ts';
import type { DeepInput, DeepRange, DeepSegment } from '../../processors/model/deep-input.ts';
import { addFinding, answerOfList, createFindingList } from '../../processors/model/finding-list.ts';
import { RollstreamError } from '../errors.ts';
import type { LoadedTokenizer } from '../tokenizers/load-tokenizer.ts';
import { compareRender } from '../tokenizers/template/compare-render.ts';
import { createRenderer, type Renderer } from '../tokenizers/template/create-renderer.ts';
import type { AttemptMessages } from './attempt-messages.ts';
import { promptOf } from './prompt-of.ts';
import type { RerenderCount } from './rerender-count.ts';

export interface Rerendered {
  readonly count: RerenderCount;
  /** Only where all that a prompt is rendered from is in the record. */
  readonly found: readonly Found[];
}

/** Renders the prompts of an attempt again from its messages, and compares them with the recorded ids. */
export interface Rerender {
  of(input: DeepInput, told: AttemptMessages | undefined): Promise<Rerendered>;
  close(): Promise<void>;
}

export type RerenderTokenizer = Pick<LoadedTokenizer, 'templateText' | 'config' | 'decode' | 'has' | 'eosIds'> &
  Parameters<typeof compareRender>[0]['tokenizer'];

/** Prompts of an attempt, in tokens: each holds the ones before it, so that their sum grows with the square of the turns. */
const MOST_TOKENS = 1_000_000;

export function createRerender(tokenizer: RerenderTokenizer, rules: TemplateRules | null): Rerender {
  const { templateText, config } = tokenizer;
  const renderer = templateText === null ? null : createRenderer(templateText, config);
  /** It did not end once: each prompt would cost its time again. */
  let stuck: RollstreamError | null = null;

  const renderWith =
    (own: Renderer): Renderer['render'] =>
    async (conversation) => {
      if (stuck !== null) throw stuck;
      try {
        return await own.render(conversation);
      } catch (error) {
        if (error instanceof RollstreamError && error.code === 'RS_TEMPLATE_LIMIT') stuck = error;
        throw error;
      }
    };

  async function compare(
    { segment, range }: Prompt,
    input: DeepInput,
    told: AttemptMessages | undefined,
  ): Promise<AuditAnswer | string> {
    if (renderer === null) return 'a chat template';
    if (rules === null) return 'rules for its chat template';
    if (told === undefined) return 'its messages';
    if (told.isTooMuch) return 'messages of at most 8 MB';
    const recordedIds = segment.tokenIds.subarray(0, range.sampledStart);
    if (recordedIds.some((id) => !tokenizer.has(id))) return 'token ids of this tokenizer';
    const prompt = promptOf(range.turn, told, input, tokenizer, rules.endOfTurnId);
    if ('missing' in prompt) return prompt.missing;
    const { messages, vars, unsure } = prompt;
    const compared = { messages, vars, recordedIds, turn: range.turn, rules, tokenizer, render: renderWith(renderer) };
    let first: AuditAnswer | null = null;
    for (const tools of prompt.tools) {
      const answer = await compareRender({ ...compared, tools });
      if (answer.result === 'pass') return answer;
      first ??= answer;
    }
    if (first === null || first.missing !== null) return first?.missing ?? 'its tools';
    // A difference may be of what the record does not tell: it proves nothing.
    return unsure.length === 0 ? first : `${unsure.join(', ')} (rendered without, it differs)`;
  }

  return {
    async of(input, told) {
      const prompts = promptsOf(input);
      const missing: Record<string, number> = {};
      const list = createFindingList();
      let [rendered, equal, tokens] = [0, 0, 0];
      for (const prompt of prompts) {
        tokens += prompt.range.sampledStart;
        const answer =
          tokens > MOST_TOKENS ? `prompts of at most ${MOST_TOKENS} tokens in all` : await compare(prompt, input, told);
        if (typeof answer === 'string') missing[answer] = (missing[answer] ?? 0) + 1;
        else {
          rendered++;
          if (answer.result === 'pass') equal++;
          for (const found of answer.findings) addFinding(list, found);
        }
      }
      const found = answerOfList(list, null).findings;
      return { count: { prompts: prompts.length, rendered, equal, missing }, found };
    },
    close: async () => renderer?.close(),
  };
}

interface Prompt {
  readonly segment: DeepSegment;
  readonly range: DeepRange;
}

/** Prompts of the model calls that something was sampled in. */
function promptsOf({ segments }: DeepInput): Prompt[] {
  return segments.flatMap((segment) =>
    segment.ranges
      .filter(({ copied, sampledStart, end }) => !copied && end > sampledStart)
      .map((range) => ({ segment, range })),
  );
}
