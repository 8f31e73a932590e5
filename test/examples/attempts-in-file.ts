import { type JsonObject, listOf, objectOf, objectsOf, parseObject } from './read-json.ts';

/** What a file plainly holds of an attempt, counted without any importer. */
export interface AttemptInFile {
  readonly id: string;
  readonly turns: number;
  readonly sampledTokens: number;
}

export interface FileCount {
  readonly attempts: readonly AttemptInFile[];
  /** Lines (from 1) that repeat an earlier one. */
  readonly repeated: readonly number[];
  /** Lines that are no JSON. */
  readonly broken: readonly number[];
}

/** Counts attempts, model calls and sampled tokens of an example file, by the name of the file. */
export function attemptsInFile(name: string, content: string): FileCount {
  const seen = new Set<string>();
  const repeated: number[] = [];
  const broken: number[] = [];
  const rows: JsonObject[] = [];
  content.split('\n').forEach((line, index) => {
    if (line === '') return;
    if (seen.has(line)) repeated.push(index + 1);
    else {
      seen.add(line);
      try {
        rows.push(parseObject(line));
      } catch {
        broken.push(index + 1);
      }
    }
  });
  return {
    attempts: name === 'steps.jsonl' ? ofEvents(rows) : rows.map(name === 'results.jsonl' ? ofStrands(rows) : ofNemo),
    repeated,
    broken,
  };
}

/** The aborted line of an id comes first: the next line of that id is its next attempt. */
function ofStrands(rows: readonly JsonObject[]): (row: JsonObject) => AttemptInFile {
  const idOf = (row: JsonObject) => String(objectOf(row.task).id);
  return (row) => {
    const before = rows.slice(0, rows.indexOf(row)).filter((other) => idOf(other) === idOf(row));
    const result = objectOf(row.result);
    const mask = result.rollout === null ? [] : listOf(objectOf(result.rollout).loss_mask);
    return {
      id: `${idOf(row)} ${before.length}`,
      turns: objectsOf(result.messages).filter((message) => message.role === 'assistant').length,
      sampledTokens: mask.filter((bit) => bit === 1).length,
    };
  };
}

function ofNemo(row: JsonObject): AttemptInFile {
  const calls = objectsOf(objectOf(row.response).output).filter((item) => 'generation_token_ids' in item);
  const agent = String(objectOf(row.agent_ref).name);
  return {
    id: `${agent}/${row._ng_task_index}/${row._ng_rollout_index} ${row._ng_attempt_index ?? 0}`,
    turns: calls.length,
    sampledTokens: calls.reduce((sum, item) => sum + listOf(item.generation_token_ids).length, 0),
  };
}

function ofEvents(rows: readonly JsonObject[]): AttemptInFile[] {
  const ids = [...new Set(rows.map((row) => `${row.rollout_id} ${row.attempt}`))];
  return ids.map((id) => {
    const calls = rows.filter((row) => `${row.rollout_id} ${row.attempt}` === id && row.kind === 'model_call');
    const sampledTokens = calls.reduce((sum, row) => sum + listOf(objectOf(row.model_call).completion_ids).length, 0);
    return { id, turns: calls.length, sampledTokens };
  });
}
