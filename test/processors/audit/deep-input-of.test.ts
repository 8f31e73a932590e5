import { expect, it } from 'vitest';
import { deepInputOf } from '../../../processors/audit/deep-input-of.ts';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import type { DeepInput } from '../../../processors/model/deep-input.ts';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { createAuditLane } from '../../../src/audit/audit-lane.ts';
import { wholeEvent } from '../../../src/audit/whole-event.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { mustRead, readDocumentFile } from '../../../src/lanes/read-document.ts';
import { attemptOf } from '../events.ts';

const taxonomy = mustRead(await readDocumentFile(packageFile('processors/taxonomy/taxonomy.yaml')), readTaxonomy).value;

function inputOf(events: readonly StepEventInit[], rawTexts?: ReadonlyMap<number, Uint8Array>): DeepInput {
  const inputs: DeepInput[] = [];
  const closed = (attempt: Parameters<typeof deepInputOf>[0]) => inputs.push(deepInputOf(attempt, rawTexts));
  const lane = createAuditLane({ taxonomy, reorderEvents: 16, audits: createStreamAudits(), closed });
  for (const event of events) lane.fold(wholeEvent(event));
  lane.closeAll();
  const [input] = inputs;
  if (input === undefined) throw new Error('nothing closed');
  return input;
}

const loop = attemptOf();

it('prompts and samples lie one after the other, each call with its range', () => {
  const input = inputOf([
    loop.start({}, { tokenizer_sha256: 'a', template_sha256: 'b', template_vars_json: '{}' }),
    loop.call(1, { prompt: [10, 11], sampled: [20, 21, 22] }),
    loop.call(2, { prompt_prefix_len: 5, prompt: [12], sampled: [23, 4_000_000_000], finish_reason: 'length' }),
    loop.end(3),
  ]);
  expect(input).toMatchObject({ tokenizerSha256: 'a', templateSha256: 'b', templateVarsJson: '{}' });
  expect(input.segments).toEqual([
    {
      ...{ id: 'main', parentId: null, forkAt: null },
      tokenIds: Uint32Array.of(10, 11, 20, 21, 22, 12, 23, 4_000_000_000),
      ranges: [
        { turn: 0, promptStart: 0, sampledStart: 2, end: 5, copied: false },
        { turn: 1, promptStart: 5, sampledStart: 6, end: 8, copied: false },
      ],
    },
  ]);
  expect(input.turns).toEqual([
    { turn: 0, finishReason: 'stop', rawText: null },
    { turn: 1, finishReason: 'length', rawText: null },
  ]);
});

it('a rewritten history is a segment of its own, which copies what it shares, also half a sample', () => {
  const { segments } = inputOf([
    loop.start(),
    loop.call(1, { prompt: [10, 11], sampled: [20, 21, 22] }),
    loop.call(2, { prompt_prefix_len: 3, prompt: [99], sampled: [23] }),
    loop.end(3),
  ]);
  expect(segments).toHaveLength(2);
  expect(segments[1]).toMatchObject({ parentId: 'main', forkAt: 3, tokenIds: Uint32Array.of(10, 11, 20, 99, 23) });
  expect(segments[1]?.ranges).toEqual([
    { turn: 0, promptStart: 0, sampledStart: 2, end: 3, copied: true },
    { turn: 1, promptStart: 3, sampledStart: 4, end: 5, copied: false },
  ]);
});

it('a history that was cut within a prompt has nothing sampled of it', () => {
  const { segments } = inputOf([
    loop.start(),
    loop.call(1, { prompt: [10, 11], sampled: [20] }),
    loop.call(2, { prompt_prefix_len: 1, prompt: [99], sampled: [23] }),
    loop.end(3),
  ]);
  expect(segments[1]?.ranges[0]).toEqual({ turn: 0, promptStart: 0, sampledStart: 1, end: 1, copied: true });
});

it('raw texts stand with their turns; what nobody kept is null, and unknown is null', () => {
  const text = Buffer.from('four');
  const input = inputOf([loop.start(), loop.call(1), loop.end(2)], new Map([[0, text]]));
  expect(input.turns).toEqual([{ turn: 0, finishReason: 'stop', rawText: text }]);
  expect(input).toMatchObject({ tokenizerSha256: null, templateSha256: null, templateVarsJson: null });
  // Its events had no raw text: what ran of it is for whoever can decode its tokens.
  expect(input.executed).toEqual([{ turn: 0, calls: [] }]);
});
