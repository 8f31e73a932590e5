import { Template } from '@huggingface/jinja';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { auditDeep } from '../../processors/audit/deep-audits.ts';
import { createRandom } from '../../src/simulate/random.ts';
import { inputOf } from '../processors/audit/template/fixture-input.ts';
import { auditedOf, effectsOf } from './audited-lane.ts';
import { cleanRollout } from './clean-trajectory.ts';
import { BOUNDARY_FAULTS } from './faults/boundary-faults.ts';
import { ENDING_FAULTS } from './faults/ending-faults.ts';
import type { Fault, Injected } from './faults/fault.ts';
import { HISTORY_FAULTS } from './faults/history-faults.ts';
import { NUMBER_FAULTS } from './faults/number-faults.ts';
import { REPAIR_FAULTS } from './faults/repair-faults.ts';
import { TEMPLATE_FAULTS } from './faults/template-faults.ts';
import { TOKEN_FAULTS } from './faults/token-faults.ts';
import { TOOL_FAULTS } from './faults/tool-faults.ts';
import { withoutText } from './faults/without-text.ts';
import { disagreement } from './injected.ts';
import { type Model, type ModelName, openModels, TOOLS_JSON } from './models.ts';
import { eventsOf, known, placeOf, type Rollout } from './rollout.ts';

const NAMES: readonly ModelName[] = ['qwen3', 'qwen2_5', 'llama3_1'];
/** Of each model: 2,001 in all. */
const CLEAN = 667;
/** Of each fault, over the models that it can happen to. */
const FAULTY = 24;
const FAULTY_TEXTLESS = 8;
const FAULTS_OF_CALLS = [...REPAIR_FAULTS, ...TOOL_FAULTS];
const FAULTS = [
  ...HISTORY_FAULTS,
  ...TOKEN_FAULTS,
  ...BOUNDARY_FAULTS,
  ...TEMPLATE_FAULTS,
  ...FAULTS_OF_CALLS,
  ...NUMBER_FAULTS,
  ...ENDING_FAULTS,
];

interface Case {
  readonly rollout: Rollout;
  readonly injected: Injected;
}

let models: readonly Model[] = [];

beforeAll(async () => {
  models = await openModels();
});

afterAll(() => {
  for (const { knowledge } of models) knowledge.close();
});

function modelOf(name: ModelName): Model {
  return known(models.find((model) => model.name === name));
}

function cleanOf(name: ModelName, count: number, isTextless = false): Case[] {
  return Array.from({ length: count }, (_, i) => ({
    rollout: Object.assign(cleanRollout(modelOf(name), `clean ${name} ${i}`), { isTextless }),
    injected: { found: [] },
  }));
}

function faultyOf({ models: of = NAMES, wishes, name, inject }: Fault, count: number, isTextless = false): Case[] {
  return Array.from({ length: count }, (_, i) => {
    const model = modelOf(known(of[i % of.length]));
    const id = `${name} ${model.name} ${i}`;
    const rollout = Object.assign(cleanRollout(model, id, wishes), { isTextless });
    const injected = inject(rollout, createRandom(`${id} fault`));
    return { rollout, injected: isTextless ? withoutText(injected) : injected };
  });
}

/** How what was said is not what should have been. */
async function problemsOf(cases: readonly Case[]): Promise<string[]> {
  const audited = await auditedOf(
    models,
    cases.map(({ rollout }) => eventsOf(rollout)),
  );
  return cases.flatMap(({ rollout, injected }) =>
    disagreement(rollout, injected, audited.get(rollout.id)).map((problem) => `${rollout.id}: ${problem}`),
  );
}

describe('a clean rollout has no finding but where a split was sampled that no encoder makes, at exactly that token', () => {
  for (const name of NAMES)
    test(`in each of ${CLEAN} rollouts of ${name}`, async () => {
      const cases = cleanOf(name, CLEAN);
      expect(await problemsOf(cases)).toEqual([]);
      // Nothing that could not be found.
      const drifted = cases.flatMap(({ rollout }) => rollout.turns).filter(({ drift }) => drift !== null);
      expect(drifted.length).toBeGreaterThan(CLEAN / 2);
    });

  for (const name of ['qwen3', 'qwen2_5'] as const)
    test(`in rollouts of ${name} whose source keeps no text of what was sampled`, async () => {
      expect(await problemsOf(cleanOf(name, 60, true))).toEqual([]);
    });
});

describe('a fault is found with its class, turn and index, and nothing else is', () => {
  for (const fault of FAULTS)
    test(fault.name, async () => {
      expect(await problemsOf(faultyOf(fault, FAULTY))).toEqual([]);
    });
});

describe('where nobody kept the text, the ids tell of calls', () => {
  for (const fault of FAULTS_OF_CALLS)
    test(fault.name, async () => {
      expect(await problemsOf(faultyOf(fault, FAULTY_TEXTLESS, true))).toEqual([]);
    });
});

describe('what this test relies on', () => {
  test('an expectation that is wrong in any part is a problem', async () => {
    const [{ rollout }] = [known(faultyOf(known(HISTORY_FAULTS[0]), 1)[0])];
    const clean = cleanRollout(rollout.model, rollout.id, { least: 2 });
    const { found, follows } = known(HISTORY_FAULTS[0]).inject(clean, createRandom(`${rollout.id} fault`));
    const audited = (await auditedOf(models, [eventsOf(clean)])).get(clean.id);
    const [first] = found;
    const problems = (one: Partial<typeof first>) =>
      disagreement(clean, { found: [{ ...known(first), ...one }], follows: follows ?? [] }, audited).length;
    expect(problems({})).toBe(0);
    expect(problems({ class: 'render_drift' })).toBe(2);
    expect(problems({ turn: 9 })).toBe(2);
    expect(problems({ index: 0 })).toBe(2);
    expect(disagreement(clean, { found: [] }, audited).length).toBe(2);
    expect(disagreement(clean, { found: [], follows }, undefined)).toEqual(['it was not audited']);
  });

  test('prompts are those that the template of the model renders', () => {
    for (const name of NAMES) {
      const model = modelOf(name);
      for (let i = 0; i < 20; i++) {
        const rollout = cleanRollout(model, `rendered ${name} ${i}`);
        const [system, user] = known(rollout.turns[0]).messages;
        const content = known(system).content.split('\n\n# Tools\n')[0];
        const rendered = new Template(model.templateText).render({
          messages: [{ role: 'system', content }, { ...user }],
          ...(rollout.start.tools_json === null ? {} : { tools: JSON.parse(TOOLS_JSON) }),
          bos_token: '<|begin_of_text|>',
          add_generation_prompt: true,
          ...JSON.parse(rollout.start.template_vars_json ?? '{}'),
        });
        expect(String(model.decode(placeOf(rollout, 0).prompt))).toBe(rendered);
      }
    }
  });

  test('spans of versions beyond the sampled tokens are refused before any audit', async () => {
    const rollout = cleanRollout(modelOf('qwen3'), 'spans beyond');
    const turn = known(rollout.turns[0]);
    turn.spans = [
      { start: 0, version: '1' },
      { start: turn.sampled.length, version: '2' },
    ];
    const { rows } = await effectsOf(models, [eventsOf(rollout)]);
    expect(rows.dead_letters.map(({ fault }) => [fault.code, fault.field])).toEqual([
      ['invalid_field', 'model_call.weight_spans'],
    ]);
    expect(rows.audits).toEqual([]);
  });

  test('ids of one tokenizer are refused by the audits of another, and not measured (case 9)', () => {
    for (const [name, other] of [
      ['qwen2_5', 'qwen3'],
      ['qwen3', 'llama3_1'],
      ['llama3_1', 'qwen2_5'],
    ] as const) {
      const rollout = cleanRollout(modelOf(name), `refused ${name}`);
      const { prompt } = placeOf(rollout, 0);
      const { sampled } = known(rollout.turns[0]);
      const tokenizerSha256 = modelOf(name).knowledge.tokenizer.sha256;
      const input = inputOf([{ prompt, sampled, finish: 'stop' }], { tokenizerSha256 });
      const { answers, reencode } = auditDeep(input, modelOf(other).knowledge);
      for (const audit of ['tokens', 'template', 'reencode'] as const) {
        expect(answers[audit]?.result).toBe('not_auditable');
        expect(answers[audit]?.findings).toEqual([]);
        expect(answers[audit]?.missing).toContain(tokenizerSha256);
      }
      expect(reencode).toBeNull();
    }
  });
});
