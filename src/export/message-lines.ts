import type { Store } from '../clickhouse/port.ts';
import { conversationOf } from './conversation-of.ts';
import { type DecidedKey, keyOf, rolloutsOf } from './decided-pages.ts';
import { leftOutLine } from './left-out.ts';
import { readSaid, type SaidEvent } from './said-events.ts';

/** What SFT selects and weighs by. */
interface Facts {
  readonly unit: string;
  readonly rollout_id: string;
  readonly attempt: number;
}

const FACTS = `run_id, env_name, task_id, epoch, group_id, rollout_id, attempt, category, disposition, why, reward,
  advantage, segment_count, rollout_loss_tokens, weights_version_min, weights_version_max, concat(replaceOne(toString(ready_at), ' ', 'T'), 'Z') AS ready_at`;

/** Rollouts of a page as conversations, a line each, in the order of the page; what is none is named instead. */
export async function messageLines(store: Store, runId: string, page: readonly DecidedKey[]): Promise<string> {
  const rolloutIds = rolloutsOf(page);
  const facts = await store.query<Facts>(
    `SELECT unit, ${FACTS} FROM rollstream.live_trajectories
     WHERE run_id = {run:String} AND rollout_id IN {rollouts:Array(String)}`,
    { run: runId, rollouts: rolloutIds },
  );
  const factsOf = new Map(facts.map((row) => [keyOf(row), row]));
  const said = new Map<string, SaidEvent[]>();
  for (const event of await readSaid(store, runId, rolloutIds)) {
    const others = said.get(keyOf(event));
    if (others === undefined) said.set(keyOf(event), [event]);
    else others.push(event);
  }
  return page.map((key) => lineOf(key, factsOf.get(keyOf(key)), said.get(keyOf(key)) ?? [])).join('');
}

function lineOf(key: DecidedKey, facts: Facts | undefined, events: readonly SaidEvent[]): string {
  const conversation = conversationOf(events);
  if ('reason' in conversation || facts === undefined) {
    const reason = 'reason' in conversation ? conversation.reason : 'not_found';
    return leftOutLine(key, reason);
  }
  const { messages, tools, joined } = conversation;
  const { unit: _unit, ...metadata } = facts;
  const about = { ...metadata, reason_code: key.reason_code, ...(joined === 0 ? {} : { joined_parts: joined }) };
  return `${JSON.stringify({ messages, ...(tools === null ? {} : { tools }), metadata: about })}\n`;
}
