import { expect, it } from 'vitest';
import { createStreamAudits } from '../../../processors/audit/stream-audits.ts';
import type { Attempt } from '../../../processors/model/attempt.ts';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import type { StepEventInit } from '../../../schemas/generated/step-event.ts';
import { createMessageNotes } from '../../../src/audit/attempt-messages.ts';
import { createAuditLane } from '../../../src/audit/audit-lane.ts';
import { wholeEvent } from '../../../src/audit/whole-event.ts';
import { packageFile } from '../../../src/config/package-file.ts';
import { mustRead, readDocumentFile } from '../../../src/lanes/read-document.ts';

const taxonomy = mustRead(await readDocumentFile(packageFile('processors/taxonomy/taxonomy.yaml')), readTaxonomy).value;

type Step = Partial<StepEventInit> & Pick<StepEventInit, 'kind'>;

/** Folds the steps of one attempt, in order, and gives what was noted of it. */
function notesOf(steps: readonly Step[], mostBytes?: number) {
  const notes = createMessageNotes(mostBytes);
  const audits = createStreamAudits({});
  const seen: Attempt[] = [];
  const lane = createAuditLane({
    ...{ taxonomy, reorderEvents: 16, closed: (attempt) => seen.push(attempt) },
    audits: { ...audits, watch: notes.watch },
  });
  for (const [seq, step] of steps.entries())
    lane.fold(
      wholeEvent({
        ...{ run_id: 'r', env_name: 'e', task_id: 't', rollout_id: 'x', event_id: `e${seq}`, producer_id: 'p', seq },
        ...{ source: { format: 'test' }, ...step },
      }),
    );
  lane.closeAll();
  const [attempt] = seen;
  return attempt === undefined ? undefined : notes.of(attempt);
}

const START: Step = { kind: 'start', start: { prompt: Buffer.from('task'), tools_json: '[]' } };
const says = (text: string, segment_id = 'main'): Step => ({
  ...{ kind: 'message', segment_id, message: { role: 'user', parts_json: JSON.stringify(text) } },
});
const call = (call_id: string, segment_id = 'main'): Step => ({
  ...{ kind: 'model_call', segment_id, model_call: { call_id } },
});
const result: Step = { kind: 'tool_result', tool_result: { call_id: 'c', name: 'ls', output: Buffer.from('a.txt') } };

it('a call is told what came before it, in order', () => {
  const notes = notesOf([START, says('one'), call('a'), result, says('two'), call('b')]);
  expect(notes?.before(0)).toMatchObject([{ kind: 'message', role: 'user', partsJson: '"one"' }]);
  expect(notes?.before(1)).toMatchObject([
    { kind: 'message', partsJson: '"one"' },
    { kind: 'call', turn: 0 },
    { kind: 'result', name: 'ls', output: Buffer.from('a.txt') },
    { kind: 'message', partsJson: '"two"' },
  ]);
  expect(notes?.before(2)).toBeUndefined();
  expect(notes).toMatchObject({ task: Buffer.from('task'), toolsJson: '[]', isTooMuch: false });
});

it('a sub-agent is told what was said to it alone', () => {
  const notes = notesOf([START, says('one'), call('a'), says('for you', 'sub'), call('b', 'sub'), call('c')]);
  expect(notes?.before(1)).toMatchObject([{ partsJson: '"for you"' }]);
  expect(notes?.before(2)).toMatchObject([{ partsJson: '"one"' }, { kind: 'call', turn: 0 }]);
});

it('what is more than may be kept is let go, and said', () => {
  const notes = notesOf([START, says('a'.repeat(600)), call('a'), says('b'.repeat(600)), call('b')], 1_000);
  expect(notes).toMatchObject({ isTooMuch: true, task: null, toolsJson: null });
  expect(notes?.before(0)).toBeUndefined();
});
