import { cli } from '../src/cli/test-io.ts';

/** What differs however a row came to be: the replay and what it supersedes, the order of writing, and whose lane it was. */
const OF_THE_WRITING = ['replay_id', 'supersedes', 'version', 'term', 'topic'];

/** The rows of a replay ('' the live ones) in a table, as lines in order, without those columns and `but`. */
export async function rowsOf(
  table: 'decisions' | 'rewards' | 'audits',
  replayId: string,
  data: readonly string[],
  but: readonly string[] = [],
): Promise<string[]> {
  const left = [...OF_THE_WRITING, ...but].join(', ');
  const from = replayId === '' ? `rollstream.live_${table}` : `(SELECT * FROM rollstream.${table} FINAL)`;
  const { stdout, stderr } = await cli([
    ...['query', `SELECT * EXCEPT (${left}) FROM ${from} WHERE replay_id = '${replayId}'`],
    ...['--format', 'jsonl', ...data],
  ]);
  if (stdout === '') throw new Error(`no rows of ${table} under ${replayId || 'live'}: ${stderr}`);
  return stdout.trim().split('\n').sort();
}
