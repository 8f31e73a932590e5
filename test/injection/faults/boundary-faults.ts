import { completionOf, known, placeOf } from '../rollout.ts';
import { anyTurn, type Fault, followedTurn, QWENS, turnOf } from './fault.ts';
import { addedAt, CALLING, ends, removeAt, resultTurn, separators, template, textOfPrompt } from './prompts.ts';

/** What stands between turns, before them and after them. */
export const BOUNDARY_FAULTS: readonly Fault[] = [
  {
    name: 'a BOS that was written twice is found at the second (case 33)',
    models: ['llama3_1'],
    inject(rollout) {
      turnOf(rollout, 0).added.unshift(128000);
      return template('bos_duplicated', 0, 1);
    },
  },
  {
    name: 'a BOS that is missing is found at the beginning (case 34)',
    models: ['llama3_1'],
    inject(rollout) {
      turnOf(rollout, 0).added.shift();
      return template('bos_missing', 0, 0);
    },
  },
  {
    name: 'a BOS at the beginning of a later chunk is found there (case 35)',
    models: ['llama3_1'],
    wishes: { least: 2 },
    inject(rollout, random) {
      const k = followedTurn(rollout, random) + 1;
      turnOf(rollout, k).added.unshift(128000);
      return template('bos_mid_sequence', k, addedAt(rollout, k));
    },
  },
  {
    name: 'a separator that is missing is found where the next turn opens (case 31)',
    models: QWENS,
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      return template(
        'separator_missing',
        k,
        removeAt(rollout, k, random.pick(separators(rollout, turnOf(rollout, k)))),
      );
    },
  },
  {
    name: 'a separator that is another is found where it stands',
    models: QWENS,
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const at = random.pick(separators(rollout, turnOf(rollout, k)));
      return template('separator_malformed', k, removeAt(rollout, k, at, random.pick([271, 220])));
    },
  },
  {
    name: 'a generation prompt that is missing is found where sampling begins',
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const turn = turnOf(rollout, k);
      turn.added = turn.added.slice(0, turn.added.lastIndexOf(rollout.model.openId));
      return template('gen_prompt_missing', k, placeOf(rollout, k).sampledStart);
    },
  },
  {
    name: 'a generation prompt without its line end is found where the turn opens',
    models: QWENS,
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const turn = turnOf(rollout, k);
      const open = turn.added.lastIndexOf(rollout.model.openId);
      turn.added = turn.added.slice(0, open + 2);
      return template('gen_prompt_malformed', k, addedAt(rollout, k) + open);
    },
  },
  {
    name: 'a default system turn that was dropped is found at the beginning (case 37)',
    models: ['qwen2_5'],
    inject(rollout) {
      const { model } = rollout;
      const turn = turnOf(rollout, 0);
      turn.messages = turn.messages.slice(1);
      turn.added = model.encode(textOfPrompt(rollout, 0));
      return template('system_missing', 0, 0);
    },
  },
  {
    name: 'an end of turn that was written twice in a prompt is found at the second',
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const turn = turnOf(rollout, k);
      const at = random.pick(ends(rollout, turn));
      turn.added.splice(at, 0, rollout.model.endId);
      return template('end_of_turn_doubled', k, addedAt(rollout, k) + at + 1);
    },
  },
  {
    name: 'the stop token that the template adds once more is found after the sampled one (case 15)',
    wishes: { least: 2 },
    inject(rollout, random) {
      const k = followedTurn(rollout, random) + 1;
      turnOf(rollout, k).added.unshift(rollout.model.endId);
      return template('end_of_turn_doubled', k, addedAt(rollout, k));
    },
  },
  {
    name: 'a completion that ends twice is told at the second end (case 15)',
    inject(rollout, random) {
      const k = anyTurn(rollout, random);
      const turn = turnOf(rollout, k);
      turn.sampled.push(rollout.model.endId);
      turn.logprobs.push(-0.125);
      turn.rawText = completionOf(turn).text;
      return template('end_of_turn_doubled', k, placeOf(rollout, k).end - 1);
    },
  },
  {
    name: 'an end of turn that a completion lost is found where the next turn opens',
    wishes: { least: 2 },
    inject(rollout, random) {
      const k = followedTurn(rollout, random);
      const turn = turnOf(rollout, k);
      turn.sampled.pop();
      turn.logprobs.pop();
      return template('end_of_turn_missing', k + 1, addedAt(rollout, k + 1) + (rollout.model.isQwen ? 1 : 0));
    },
  },
  {
    name: 'an end of turn that the last completion lost is found at its end',
    inject(rollout) {
      const k = rollout.turns.length - 1;
      const turn = turnOf(rollout, k);
      turn.sampled.pop();
      turn.logprobs.pop();
      return template('end_of_turn_missing', k, placeOf(rollout, k).end);
    },
  },
  {
    name: 'the end of a tool turn that is missing is found where the next turn opens',
    models: QWENS,
    wishes: CALLING,
    inject(rollout, random) {
      const k = resultTurn(rollout, random);
      const at = known(ends(rollout, turnOf(rollout, k))[0]);
      // What opens next stands after the separator, in the place of which the end stood.
      return template('end_of_turn_missing', k, removeAt(rollout, k, at) + 1);
    },
  },
];
