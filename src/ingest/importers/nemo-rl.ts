import { type AttemptEvents, createAttemptEvents } from '../attempt-events.ts';
import { attemptIdentity } from '../attempt-identity.ts';
import { createLineIds } from '../attempt-numbers.ts';
import type { JsonObject, JsonValue } from '../exact-number.ts';
import { booleanOr, objectOrNull, Refused, rewardAt, shown, textOrNull } from '../fields.ts';
import { type Importer, oddities, refusable } from '../importer.ts';
import { jsonText, leftover, unlessEmpty } from '../json-text.ts';
import { keptNumbers } from './kept-numbers.ts';
import { type NemoRlRow, nemoRlRow, nemoRlTokens } from './nemo-rl-row.ts';

const FORMAT = 'nemo-rl';

/** `train_data_stepN.jsonl` of NeMo-RL: what its trainer was given, a sequence a line. */
export const nemoRl: Importer = {
  name: FORMAT,

  detect(first) {
    const found = first.some((line) => Array.isArray(line.token_ids) && Array.isArray(line.token_loss_mask));
    return found ? { score: 0.9, why: 'token_ids and token_loss_mask, as NeMo-RL logs its training data' } : null;
  },

  open(context) {
    const lineId = createLineIds();
    return {
      take: (line) =>
        refusable(() => {
          const row = nemoRlRow(line.value);
          const agent = textOrNull(objectOrNull(row.values.agent_ref, row.path('agent_ref'))?.name, 'agent_ref.name');
          // Rows have a number in their file, and no id.
          const identity = attemptIdentity(context, { rolloutId: lineId(line.sha256), envName: agent ?? FORMAT });
          const out = createAttemptEvents(identity, { format: FORMAT, location: line.location }, line.sha256);
          addEvents(out, row, line.location, oddities(line));
          return out.list;
        }),
    };
  },
};

const KNOWN = [
  'token_ids',
  'token_loss_mask',
  'sample_loss_mask',
  'generation_logprobs',
  'prev_logprobs',
  'advantages',
  'rewards',
  'filtered_rewards',
  'input_lengths',
  'content',
  'truncated',
];

function addEvents(out: AttemptEvents, row: NemoRlRow, location: string, odd: JsonObject | undefined): void {
  const { values, path } = row;
  const { calls, padding } = nemoRlTokens(row);
  out.add('start', { start: {} }, { ...odd, content: values.content ?? undefined, padding });
  for (const [turn, { tokens, missingLogprobs, trailing }] of calls.entries()) {
    out.add(
      'model_call',
      { model_call: { call_id: `call-${turn}`, ...tokens } },
      {
        missing_logprobs: missingLogprobs.length > 0 ? [...missingLogprobs] : undefined,
        trailing_input: trailing || undefined,
      },
    );
  }
  out.add(
    'end',
    { end: { reasons: reasonsOf(row) } },
    {
      ...leftover(values, KNOWN),
      // The trainer's own numbers, as many as the tokens: they are not the rollout's.
      trainer: unlessEmpty({
        prev_logprobs: keptNumbers(values.prev_logprobs, location, path('prev_logprobs')),
        advantages: keptNumbers(values.advantages, location, path('advantages')),
      }),
    },
  );
  const { reward, note } = rewardAt(values.rewards, path('rewards'));
  const report = unlessEmpty({
    reward: note === null ? undefined : values.rewards,
    filtered_reward: values.filtered_rewards ?? undefined,
  });
  out.addAfterEnd('verdict', {
    verdict: {
      scorer: FORMAT,
      status: reward === null && note === null ? 'missing' : 'scored',
      rewards: { reward },
      report_json: report === undefined ? null : jsonText(report),
    },
  });
}

/** `truncated` is all that a row may say of its end; that it was not says nothing. */
function reasonsOf({ values, path }: NemoRlRow) {
  const isCut = booleanOr(flagOf(values.truncated), path('truncated'), false);
  const known =
    values.truncated === undefined || values.truncated === null ? null : `truncated: ${shown(values.truncated)}`;
  const reasons = [{ raw: isCut ? 'truncated' : '', system: FORMAT, detail: known }];
  const mask = flagOf(values.sample_loss_mask);
  if (mask !== undefined && mask !== null && typeof mask !== 'boolean') {
    const isShare = typeof mask === 'number' && mask > 0;
    if (!isShare) throw new Refused(path('sample_loss_mask'), 'a number of 0 or more', shown(mask));
    reasons[0] = {
      raw: isCut ? 'truncated' : '',
      system: FORMAT,
      detail: [known, `weight ${mask}`].filter(Boolean).join(', '),
    };
  }
  // 0: the trainer left it out of its loss.
  if (mask === false) reasons.push({ raw: 'sample_loss_mask', system: FORMAT, detail: null });
  return reasons;
}

/** 0 and 1 of a tensor of flags. */
function flagOf(value: JsonValue | undefined): JsonValue | undefined {
  return value === 0 ? false : value === 1 ? true : value;
}
