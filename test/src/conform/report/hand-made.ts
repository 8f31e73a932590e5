import type { CallForm } from '../../../../src/conform/call-form.ts';
import { conversationsOf } from '../../../../src/conform/report/conversations.ts';
import type { Judge } from '../../../../src/conform/report/judges/judge.ts';
import type { RecordedCall, RecordedRollout } from '../../../../src/conform/report/recorded-rollout.ts';
import { type Seen, seenOf } from '../../../../src/conform/report/seen.ts';
import type { TruthCall } from '../../../../src/conform/truth.ts';

/** An honest first turn of three prompt and two sampled tokens, but for what is said. */
export function call(said: Partial<TruthCall> = {}): TruthCall {
  return {
    ...{ scenario: 'honest', task: 0, call: 0, turn: 0, attempt: 0, route: 'generate', dialect: 'sglang' },
    ...{ streamed: false, receivedAtUs: 0, requestId: 'r0', promptIds: [1, 2, 3], promptSentAsIds: true },
    ...{ promptText: 'user: go\n', messages: null, commonPrefix: null, heldLength: null, heldCall: null },
    ...{ completionIds: [10, 99], logprobs: [-0.5, -0.25], rawText: 'done<|im_end|>', parsedCalls: null },
    ...{ finishReason: { type: 'stop', matched: 99 }, weightSpans: [{ start: 0, version: '1' }], status: 200 },
    ...{ misbehaved: null, ended: 'complete' },
    ...said,
  };
}

/** The call after another, whose prompt goes on from it with a tool result. */
export function following(before: TruthCall, result: string, said: Partial<TruthCall> = {}): TruthCall {
  const added = `\n<tool_response>\n${result}\n</tool_response>\n`;
  const held = [...before.promptIds, ...before.completionIds];
  return call({
    ...{ scenario: before.scenario, task: before.task, call: before.call + 1, turn: before.turn + 1 },
    ...{ promptIds: [...held, 7, 8], promptText: `${before.promptText}${before.rawText}${added}` },
    ...{ commonPrefix: held.length, heldLength: held.length, heldCall: before.call },
    ...said,
  });
}

/** The chat after it: the client parsed the answer itself, and says something in each role. */
export function chatAfter(
  before: TruthCall,
  ...said: ReadonlyArray<readonly [role: string, content: string]>
): TruthCall {
  const messages = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: before.rawText.replace('<|im_end|>', '') },
    ...said.map(([role, content]) => ({ role, content })),
  ];
  return following(before, '', { messages, route: 'chat' });
}

/** The same prompt sent again. */
export function again(before: TruthCall, said: Partial<TruthCall> = {}): TruthCall {
  return call({ ...before, call: before.call + 1, attempt: before.attempt + 1, misbehaved: null, ...said });
}

/** What a record says of a call: nothing, but for what is said. */
export function recordedCall(said: Partial<RecordedCall> = {}): RecordedCall {
  return {
    ...{ promptIds: null, completionIds: null, logprobs: null, rawText: null, finishReason: null, weightSpans: [] },
    ...{ error: null, toolCalls: [], results: [] },
    ...said,
  };
}

/** A record that ends as strands-env says it. */
export function record(raw: string, category: string, calls: readonly RecordedCall[] = []): RecordedRollout {
  return {
    ...{
      runId: 'r',
      rolloutId: 'honest#0',
      taskId: 'honest#0',
      attempt: 0,
      where: 'results.jsonl:1',
      texts: [],
      calls,
    },
    ending: { raw, system: 'strands-env', category, detail: null },
  };
}

/** The one conversation of the calls, and its record. */
export function seen(
  calls: readonly TruthCall[],
  recorded: RecordedRollout | null = null,
  form: CallForm = 'hermes',
): Seen {
  const [conversation, ...others] = conversationsOf(calls);
  if (conversation === undefined || others.length > 0) throw new Error(`${others.length + 1} conversations`);
  return seenOf(conversation, recorded, form);
}

/** `verdict class` of each judgement. */
export function judged(
  judge: Judge,
  calls: readonly TruthCall[],
  recorded: RecordedRollout | null = null,
  form: CallForm = 'hermes',
): string[] {
  return judge(seen(calls, recorded, form)).map(({ verdict, class: as }) =>
    as === null ? verdict : `${verdict} ${as}`,
  );
}
