import { describe, expect, it } from 'vitest';
import { conformReport } from '../../../../src/conform/report/conform-report.ts';
import type { RecordedRollout } from '../../../../src/conform/report/recorded-rollout.ts';
import type { TruthHead } from '../../../../src/conform/truth.ts';
import { again, call, following, record, recordedCall } from './hand-made.ts';

const head: TruthHead = {
  ...{ rollstream_conform: 1, startedAtUs: 0, seed: 0, tokenizerSha256: 'ab', model: 'm' },
  scenarios: ['honest', 'abort_partial', 'storm_429', 'two_eos'],
};

/** An abort that a stack takes for an answer, and an honest task that it does well; 98 and 99 end answers. */
const first = call({ call: 0, rawText: '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>' });
const honest = [first, following(first, 'executed search {"query": "x"}')];
const aborted = call({ scenario: 'abort_partial', call: 5, finishReason: { type: 'abort', message: 'm' } });

function named(one: RecordedRollout, scenario: string): RecordedRollout {
  return { ...one, rolloutId: `p-${scenario}`, taskId: 'p', texts: [`[[rollstream:${scenario}#0]] go`] };
}

describe('the report', () => {
  it('has a case for each task in the order of the scenarios, and says what nobody asked for', () => {
    const report = conformReport(
      { head, calls: [aborted, ...honest, call({ call: 9, scenario: null, task: null })] },
      null,
    );
    expect(report.cases.map(({ scenario, task, verdict, calls }) => [scenario, task, verdict, calls])).toEqual([
      ['honest', 0, 'faithful', 2],
      ['abort_partial', 0, 'not_observable', 1],
    ]);
    expect(report).toMatchObject({
      notAsked: ['storm_429', 'two_eos'],
      unmarked: 1,
      unpaired: 0,
      laundered: 0,
      nothingAsked: null,
    });
    expect(report.verdicts).toEqual({ faithful: 1, laundered: 0, not_observable: 1 });
  });

  it('finds the record of a task by its marker, and judges by it', () => {
    const records = [
      named(record('task_complete', 'completion'), 'abort_partial'),
      named(record('task_complete', 'completion'), 'storm_429'),
    ];
    const report = conformReport({ head, calls: [...honest, aborted] }, records);
    expect(report.cases.map(({ scenario, verdict, rollout }) => [scenario, verdict, rollout])).toEqual([
      ['honest', 'faithful', null],
      ['abort_partial', 'laundered', 'p-abort_partial'],
    ]);
    expect(report).toMatchObject({ laundered: 1, unpaired: 1 });
  });

  it('finds the record of a task that is known by its ids alone', () => {
    const ids = record('task_complete', 'completion', [
      recordedCall({ promptIds: [1, 2, 3], completionIds: [10, 12] }),
    ]);
    const report = conformReport({ head, calls: honest }, [{ ...ids, rolloutId: 'x', taskId: 'y' }]);
    expect(report.cases[0]).toMatchObject({ verdict: 'laundered', rollout: 'x' });
  });

  it('tells what was laundered besides, and leaves the verdict to what the scenario is about', () => {
    const retried = again(aborted, { finishReason: { type: 'stop', matched: 99 } });
    const reencoded = following(retried, 'x', { promptIds: [1, 2, 3, 30, 99, 7] });
    const report = conformReport({ head, calls: [aborted, retried, reencoded] }, null);
    expect(report.cases[0]?.verdict).toBe('faithful');
    expect(report.cases[0]?.besides.map(({ check, class: as }) => `${check} ${as}`)).toEqual([
      'next_prompt_ids reencoded',
    ]);
    expect(report).toMatchObject({ laundered: 1, verdicts: { faithful: 1, laundered: 0, not_observable: 0 } });
  });

  it('keeps rollouts of one task apart', () => {
    const second = call({ call: 3, attempt: 1 });
    const report = conformReport({ head, calls: [...honest, second] }, null);
    expect(report.cases.map(({ calls, verdict }) => [calls, verdict])).toEqual([
      [2, 'faithful'],
      [1, 'not_observable'],
    ]);
  });

  it('judges loose arguments by their first turn alone', () => {
    const loose = call({
      ...{ scenario: 'loose_arguments', rawText: '<tool_call>\n{"name": "search", "arguments": ["x"]}\n</tool_call>' },
    });
    const unclear = following(loose, '', {
      promptText: `${loose.promptText}${loose.rawText}\n<|im_start|>user\nthere are 12<|im_end|>\n<|im_start|>assistant\n`,
      rawText: '<tool_call>\n{"name": "search", "arguments": {"query": "x"}}\n</tool_call>',
    });
    const report = conformReport(
      { head, calls: [loose, unclear, following(unclear, 'executed search {"query": "x"}')] },
      null,
    );
    expect(report.cases.map(({ verdict }) => verdict)).toEqual(['not_observable']);
  });

  it('reads calls in the form of the log, and tells what has no meaning in it', () => {
    const rawText =
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"query": "x",}' +
      '<|tool_call_end|><|tool_calls_section_end|>';
    const kimi = call({ scenario: 'repaired_looking_call', rawText });
    const calls = [kimi, following(kimi, 'executed search {"query": "x"}')];
    const report = conformReport({ head: { ...head, calls: 'kimi' }, calls }, null);
    expect(report).toMatchObject({ calls: 'kimi', verdicts: { faithful: 0, laundered: 1, not_observable: 0 } });
    expect(report.unplayed).toEqual([
      {
        scenario: 'repaired_looking_call',
        ways: ['the key parameters', 'a last argument without its end', 'an only argument without its end'],
      },
    ]);
    expect(conformReport({ head, calls }, null)).toMatchObject({ calls: 'hermes', laundered: 0 });
  });
});
