import { expect, it } from 'vitest';
import { createAttemptEvents } from '../../../../src/ingest/attempt-events.ts';
import type { JsonObject } from '../../../../src/ingest/exact-number.ts';
import { explainMapping } from '../../../../src/ingest/explain/explain-mapping.ts';
import { textAt } from '../../../../src/ingest/fields.ts';
import { type Importer, refusable } from '../../../../src/ingest/importer.ts';
import { strandsEnv } from '../../../../src/ingest/importers/strands-env.ts';
import { CONTEXT } from '../importers/imported.ts';

/** Takes `id` and `role` and what is in `kept`, checks `role`, and forgets `gone`. */
const forgetful: Importer = {
  name: 'forgetful',
  detect: () => null,
  open: (context) => ({
    take: ({ value, sha256 }) =>
      refusable(() => {
        const role = textAt(value.role, 'role');
        if (role !== 'user') throw new Error('another role');
        const names = { run_id: context.runId, purpose: context.purpose, env_name: 'e', task_id: 't', epoch: 0 };
        const identity = { ...names, group_id: null, group_size: null, rollout_id: String(value.id), attempt: 0 };
        const out = createAttemptEvents(identity, { format: 'forgetful' }, sha256);
        out.add('start', { start: {} }, { kept: value.kept });
        return out.list;
      }),
  }),
};

const checking: Importer = {
  ...forgetful,
  open: (context) => {
    const { take } = forgetful.open(context);
    return {
      take: (line) =>
        line.value.role === 'user'
          ? take(line)
          : { refused: { message: 'role', field: 'role', expected: 'user', got: 'another' } },
    };
  },
};

function explained(importer: Importer, record: JsonObject) {
  const mapping = explainMapping(importer, [record], CONTEXT);
  if ('refused' in mapping) throw new Error(mapping.refused.message);
  return mapping;
}

it('says of each value where it goes, which is only checked, and which is in no event', () => {
  const record = { id: 'a', role: 'user', kept: { n: [1, 2, 3], text: 'x', flag: false }, gone: [true], none: null };
  const { fields, dropped } = explained(checking, record);
  expect(fields.map(({ path, lands, isChecked }) => [path, lands.join(), isChecked])).toEqual([
    ['id', 'rollout_id', false],
    ['role', '', true],
    ['kept.n[0]', 'start extra_json.kept.n[0]', false],
    ['kept.n[2]', 'start extra_json.kept.n[2]', false],
    ['kept.text', 'start extra_json.kept.text', false],
    ['kept.flag', 'start extra_json.kept.flag', false],
    ['gone[0]', '', false],
  ]);
  expect(dropped).toEqual(['gone[0]']);
});

it('a record that is refused says why', () => {
  expect(explainMapping(checking, [{ role: 'system' }], CONTEXT)).toMatchObject({ refused: { field: 'role' } });
});

it('tokens, masks and logprobs go where they are trained from', () => {
  const record = {
    task: { id: 'i', message: 'm', context: {} },
    result: {
      messages: [
        { role: 'assistant', content: [{ text: 'a' }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'c', status: 'success', content: [{ text: 'x' }] } }] },
      ],
      rollout: {
        token_ids: [1, 2, 3],
        loss_mask: [0, 0, 1],
        logprobs: [null, null, -0.5],
        segment_info: [
          [false, 2],
          [true, 1],
        ],
      },
      termination_reason: 'task_complete',
    },
    prompt_id: 'p',
  };
  const { fields, dropped } = explained(strandsEnv, record);
  const landOf = (path: string) => fields.find((field) => field.path === path)?.lands;
  expect(landOf('result.rollout.token_ids[0]')).toEqual(['model_call.prompt_delta_ids']);
  expect(landOf('result.rollout.token_ids[2]')).toEqual(['model_call.completion_ids']);
  expect(landOf('result.rollout.logprobs[2]')).toEqual(['model_call.completion_logprobs']);
  expect(landOf('result.termination_reason')).toEqual(['end.reasons[0].raw']);
  expect(dropped).toEqual([]);
});
