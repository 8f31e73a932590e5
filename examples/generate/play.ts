import { prefillLogprobs, sampledLogprobs } from './logprobs.ts';
import { pythonJson } from './python-json.ts';
import type { ChatMessage, Qwen } from './qwen.ts';
import type { Random } from './random.ts';
import type { Call, Script, Turn } from './script/script.ts';
import type { Task } from './script/task.ts';

/** One model call with its tokens. */
export interface PlayedTurn {
  readonly user: string | null;
  readonly think: string;
  readonly say: string;
  readonly calls: readonly Call[];
  /** The whole prompt. */
  readonly promptIds: readonly number[];
  /** How many of its ids are those of the turn before, prompt and completion, from the first on. */
  readonly prefixLen: number;
  readonly completionIds: readonly number[];
  readonly logprobs: readonly number[];
  /** The prefill's, for the ids of the prompt after prefixLen. */
  readonly promptLogprobs: readonly number[];
  /** The completion as text, its special end token included. */
  readonly raw: string;
  readonly ms: number;
}

const END_TOKEN = '<|im_end|>';
const MS_PER_TOKEN = 14;

/** Plays a script: renders, encodes and samples it turn by turn, as an agent loop that keeps the ids it has would. */
export async function play(qwen: Qwen, task: Task, script: Script, random: Random): Promise<PlayedTurn[]> {
  const messages: ChatMessage[] = [
    { role: 'system', content: task.system },
    { role: 'user', content: task.prompt },
  ];
  const played: PlayedTurn[] = [];
  let held: number[] = [];
  for (const turn of script) {
    if (turn.user !== undefined) messages.push({ role: 'user', content: turn.user });
    const promptIds = await qwen.encode(qwen.render(messages, task.tools));
    const prefixLen = commonPrefix(held, promptIds);
    const rewrites = turn.user !== undefined || turn.reencoded === true;
    if (prefixLen < held.length !== rewrites) throw new Error(`${task.id}: turn ${played.length} breaks its history`);

    const completionIds = await sample(qwen, turn);
    const raw = await qwen.decode(completionIds);
    held = [...promptIds, ...completionIds];
    messages.push({ role: 'assistant', content: raw.replace(END_TOKEN, '') });
    for (const call of turn.calls ?? []) {
      if (call.output !== null) messages.push({ role: 'tool', content: call.output });
    }
    played.push({
      user: turn.user ?? null,
      think: turn.think,
      say: turn.say ?? '',
      calls: turn.calls ?? [],
      promptIds,
      prefixLen,
      completionIds,
      logprobs: sampledLogprobs(random, completionIds.length),
      promptLogprobs: prefillLogprobs(random, promptIds.length - prefixLen),
      raw,
      ms: turn.ms ?? completionIds.length * MS_PER_TOKEN + Math.floor(random() * 90),
    });
  }
  return played;
}

async function sample(qwen: Qwen, turn: Turn): Promise<number[]> {
  const ids = await qwen.encode(`${turn.text ?? writeTurn(turn)}${END_TOKEN}`);
  const sampled = turn.sampled === undefined ? ids : replaceRun(ids, turn.sampled.instead, turn.sampled.ids);
  return sampled.slice(0, turn.keepTokens ?? sampled.length);
}

/** The way Qwen3 writes a turn, and its template renders it. */
function writeTurn(turn: Turn): string {
  const calls = (turn.calls ?? []).map(
    (call) => `<tool_call>\n{"name": "${call.name}", "arguments": ${pythonJson(call.args)}}\n</tool_call>`,
  );
  const parts = turn.say === undefined ? calls : [turn.say, ...calls];
  return `<think>\n${turn.think}\n</think>\n\n${parts.join('\n')}`;
}

function replaceRun(ids: readonly number[], run: readonly number[], by: readonly number[]): number[] {
  const at = ids.findIndex((_, index) => run.every((id, offset) => ids[index + offset] === id));
  if (at < 0) throw new Error(`${run.join(' ')} does not occur in the completion`);
  return [...ids.slice(0, at), ...by, ...ids.slice(at + run.length)];
}

function commonPrefix(left: readonly number[], right: readonly number[]): number {
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index += 1) {
    if (left[index] !== right[index]) return index;
  }
  return shorter;
}
