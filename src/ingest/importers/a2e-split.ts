import { isObject, type JsonObject } from '../exact-number.ts';
import { arrayAt, idOrNull, objectAt, Refused, shown } from '../fields.ts';
import type { A2eMessage } from './a2e-message.ts';

/** One message, or the steps that a batch of them is: each then has the batch's id and its place, `b1#0`. */
export function splitBatch(message: A2eMessage): readonly A2eMessage[] {
  if (message.type === 'env/batch_step/req') return requests(message);
  return message.type === 'env/batch_step/resp' ? responses(message) : [message];
}

function requests(message: A2eMessage): A2eMessage[] {
  const { episode_ids, actions, ...rest } = message.value;
  const ids = arrayAt(episode_ids, 'episode_ids');
  const all = arrayAt(actions, 'actions');
  if (ids.length !== all.length) throw new Refused('actions', `${ids.length} actions`, `${all.length}`);
  return ids.map((episode_id, i) => {
    if (idOrNull(episode_id, `episode_ids[${i}]`) === null)
      throw new Refused(`episode_ids[${i}]`, 'the id of an episode', shown(episode_id));
    return part(message, i, { ...rest, type: 'env/step/req', batch: i, episode_id, action: all[i] ?? null });
  });
}

function responses(message: A2eMessage): A2eMessage[] {
  const { results, ...rest } = message.value;
  return arrayAt(results, 'results').map((result, i) =>
    part(message, i, { ...rest, ...objectAt(result, `results[${i}]`), type: 'env/step/resp', batch: i }),
  );
}

function part(message: A2eMessage, at: number, value: JsonObject): A2eMessage {
  const { id, reqId } = message;
  const type = typeof value.type === 'string' && isObject(value) ? value.type : message.type;
  return { ...message, type, value, id: id && `${id}#${at}`, reqId: reqId && `${reqId}#${at}` };
}
