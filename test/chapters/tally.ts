import { bytesOfText } from '../../processors/model/text-bytes.ts';
import { createAttemptEvents } from '../../src/ingest/attempt-events.ts';
import { attemptIdentity } from '../../src/ingest/attempt-identity.ts';
import { createLineIds } from '../../src/ingest/attempt-numbers.ts';
import { arrayOrNull, idOrNull, rewardAt, textAt, textOrNull } from '../../src/ingest/fields.ts';
import { type Importer, oddities, refusable } from '../../src/ingest/importer.ts';
import { jsonText } from '../../src/ingest/json-text.ts';
import { packLogprobs, packTokenIds, sameLength } from '../../src/ingest/packed.ts';

const FORMAT = 'tally';

/** Lines `{tally: 1, id?, question, prompt_ids?, answer, answer_ids?, answer_logprobs?, stopped, score}`: one question, one answer. */
export const tally: Importer = {
  name: FORMAT,

  detect(first) {
    return first.some((line) => line.tally === 1) ? { score: 1, why: 'lines with tally: 1' } : null;
  },

  open(context) {
    const lineId = createLineIds();
    return {
      take: (line) =>
        refusable(() => {
          const { id, question, prompt_ids, answer, answer_ids, answer_logprobs, stopped, score, ...rest } = line.value;
          const rolloutId = idOrNull(id, 'id') ?? lineId(line.sha256);
          const identity = attemptIdentity(context, { rolloutId, envName: FORMAT });
          const out = createAttemptEvents(identity, { format: FORMAT, location: line.location }, line.sha256);

          const asked = textAt(question, 'question');
          out.add('start', { start: { prompt: bytesOfText(asked) } }, { ...oddities(line), ...rest });
          out.add('message', { message: { role: 'user', parts_json: jsonText(asked) } });

          const said = textAt(answer, 'answer');
          const prompt = arrayOrNull(prompt_ids, 'prompt_ids');
          const sampled = arrayOrNull(answer_ids, 'answer_ids');
          const logprobs = arrayOrNull(answer_logprobs, 'answer_logprobs');
          if (sampled && logprobs) sameLength(logprobs, 'answer_logprobs', sampled.length, 'answer_ids');
          const packed = logprobs && packLogprobs(logprobs, 'answer_logprobs');
          out.add(
            'model_call',
            {
              model_call: {
                call_id: 'answer',
                raw_text: bytesOfText(said),
                prompt_delta_ids: prompt && packTokenIds(prompt, 'prompt_ids'),
                completion_ids: sampled && packTokenIds(sampled, 'answer_ids'),
                completion_logprobs: packed?.bytes ?? null,
              },
            },
            { missing_logprobs: packed?.missing.length ? [...packed.missing] : undefined },
          );

          // The source's own word. Which code it is, the taxonomy says; one that it does not know is unknown.
          out.add('end', { end: { reasons: [{ raw: textOrNull(stopped, 'stopped') ?? '', system: FORMAT }] } });

          const { reward, note } = rewardAt(score, 'score');
          const status = reward === null && note === null ? 'missing' : 'scored';
          out.addAfterEnd(
            'verdict',
            { verdict: { scorer: FORMAT, status, rewards: { score: reward } } },
            { score: note ?? undefined },
          );
          return out.list;
        }),
    };
  },
};
