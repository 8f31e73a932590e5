import { expect, it } from 'vitest';
import { auditToolsDeep } from '../../../processors/audit/audit-tools-deep.ts';
import type { DeepInput } from '../../../processors/model/deep-input.ts';
import { type Call, inputOf } from './reencode/deep-input.ts';
import { fixtureTokenizer } from './template/fixture-tokenizer.ts';

const qwen = fixtureTokenizer('qwen3');
const ids = (text: string): number[] => [...qwen.encode(text)];
const PROMPT = ids('<|im_start|>user\nAdd.<|im_end|>\n<|im_start|>assistant\n');

/** A completion whose call ran with `parsed`. */
function executed(completion: string, parsed: string, call: Partial<Call> = {}): DeepInput {
  const whole = { prompt: PROMPT, sampled: ids(completion), finishReason: 'stop', ...call };
  const ran = { callId: 'c', name: 'add', parsed, executed: parsed, status: 'ok' } as const;
  return { ...inputOf([whole]), executed: [{ turn: 0, calls: [ran] }] };
}

const GOOD = '<tool_call>\n{"name": "add", "arguments": {"a": 2}}\n</tool_call>';

it('a call that ran as its tokens say passes', () => {
  expect(auditToolsDeep(executed(`${GOOD}<|im_end|>`, '{"a":2}'), qwen)).toMatchObject({ result: 'pass' });
});

it('a call without its last brace that ran is a repair, found at its turn', () => {
  const answer = auditToolsDeep(executed(`${GOOD.replace('}}', '}')}<|im_end|>`, '{"a":2}'), qwen);
  expect(answer?.result).toBe('fail');
  expect(answer?.findings).toContainEqual(expect.objectContaining({ class: 'silent_repair', turn: 0 }));
});

it('a call in a thought that the template opened is a draft, and must not run (case 49)', () => {
  const opened = { prompt: [...PROMPT, ...ids('<think>\n')] };
  const answer = auditToolsDeep(executed(`Maybe ${GOOD}</think>No.<|im_end|>`, '{"a":2}', opened), qwen);
  expect(answer?.findings).toContainEqual(expect.objectContaining({ class: 'think_call_executed', turn: 0 }));
});

it('says nothing where nothing ran, or of another tokenizer', () => {
  const input = executed(GOOD, '{"a":2}');
  expect(auditToolsDeep({ ...input, executed: [] }, qwen)).toBeUndefined();
  expect(auditToolsDeep({ ...input, tokenizerSha256: 'another' }, qwen)).toBeUndefined();
  expect(auditToolsDeep({ ...input, tokenizerSha256: qwen.sha256 }, qwen)).toMatchObject({ result: 'pass' });
});

it('ids without a token are no text: that is not auditable, never a pass', () => {
  const answer = auditToolsDeep(executed(GOOD, '{"a":2}', { sampled: [...ids(GOOD), 4_000_000_000] }), qwen);
  expect(answer).toMatchObject({ result: 'not_auditable', findings: [] });
});

it('a pass needs every model call', () => {
  const input = inputOf([
    { prompt: PROMPT, sampled: ids(`${GOOD}<|im_end|>`), finishReason: 'stop' },
    { prompt: PROMPT, sampled: ids('Done.<|im_end|>'), finishReason: 'stop' },
  ]);
  const ran = { callId: 'c', name: 'add', parsed: '{"a":2}', executed: '{"a":2}', status: 'ok' } as const;
  const answer = auditToolsDeep({ ...input, executed: [{ turn: 0, calls: [ran] }] }, qwen);
  expect(answer?.result).toBe('not_auditable');
});
