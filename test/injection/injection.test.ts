import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom } from '../../src/simulate/random.ts';
import { auditedOf } from './audited-lane.ts';
import { cleanRollout } from './clean-trajectory.ts';
import { ENDING_FAULTS } from './faults/ending-faults.ts';
import type { Fault } from './faults/fault.ts';
import { NUMBER_FAULTS } from './faults/number-faults.ts';
import { TEMPLATE_FAULTS } from './faults/template-faults.ts';
import { TOKEN_FAULTS } from './faults/token-faults.ts';
import { TOOL_FAULTS } from './faults/tool-faults.ts';
import { disagreement } from './injected.ts';
import { type Model, openModels } from './models.ts';
import { eventsOf } from './rollout.ts';

const CLEAN_A_MODEL = Number(process.env.CLEAN ?? 667);
/** Of each fault, over the models that it can happen to. */
const FAULTY = 24;

let models: readonly Model[] = [];

beforeAll(async () => {
  models = await openModels();
});

afterAll(() => {
  for (const { knowledge } of models) knowledge.close();
});

describe('clean rollouts', () => {
  for (const name of ['qwen3', 'qwen2_5', 'llama3_1'])
    test(`of ${name} have no finding but where a split was sampled that no encoder makes, at exactly that token`, async () => {
      const own = models.filter((model) => model.name === name);
      const rollouts = own.flatMap((model) =>
        Array.from({ length: CLEAN_A_MODEL }, (_, i) => cleanRollout(model, `clean ${name} ${i}`)),
      );
      const audited = await auditedOf(models, rollouts.map(eventsOf));
      const problems = rollouts.flatMap((rollout) =>
        disagreement(rollout, { found: [] }, audited.get(rollout.id)).map((problem) => `${rollout.id}: ${problem}`),
      );
      expect(problems).toEqual([]);
      expect(audited.size).toBe(CLEAN_A_MODEL);
    });
});

describe('of a fault that was put into a clean rollout', () => {
  for (const fault of [...TOKEN_FAULTS, ...TEMPLATE_FAULTS, ...TOOL_FAULTS, ...NUMBER_FAULTS, ...ENDING_FAULTS])
    test(fault.name, async () => expect(await problemsOf(fault)).toEqual([]));
});

async function problemsOf(fault: Fault): Promise<string[]> {
  const own = models.filter(({ name }) => fault.models?.includes(name) ?? true);
  const cases = Array.from({ length: FAULTY }, (_, i) => {
    const model = own[i % own.length];
    if (model === undefined) throw new Error('no model');
    const id = `${fault.name} ${model.name} ${i}`;
    const rollout = cleanRollout(model, id, fault.wishes);
    return { rollout, injected: fault.inject(rollout, createRandom(`${id} fault`)) };
  });
  const audited = await auditedOf(
    models,
    cases.map(({ rollout }) => eventsOf(rollout)),
  );
  return cases.flatMap(({ rollout, injected }, i) =>
    disagreement(rollout, injected, audited.get(rollout.id)).map((problem) => `${rollout.model.name} ${i}: ${problem}`),
  );
}
