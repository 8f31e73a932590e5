import type { Access } from '../access/access.ts';
import { RollstreamError } from '../errors.ts';
import type { AttemptKey } from './judged-attempt.ts';
import { rowsOf } from './read-attempts.ts';
import { refusedLine, type VerdictLine, verdictLine } from './verdict-line.ts';

/** A verdict of a file with the attempt that it is about. */
export interface FileVerdict extends VerdictLine {
  readonly about: AttemptKey;
}

/** Lines that are looked up at once: a parameter of a statement has a limit. */
const NAMED = { lines: 256, characters: 50_000 };
/** Problems of a file that are told at once. */
const MOST_PROBLEMS = 20;

/**
 * Verdicts of a file of JSON Lines, with the attempts that the store knows under those ids. RS_INPUT_REFUSED
 * tells the first problems of the file, each by line, field and what is expected; behind the first nothing more is given, and what was
 * given before is of a file that nobody should use.
 */
export async function* readVerdictFile(
  access: Pick<Access, 'query'>,
  file: { readonly name: string; readonly lines: AsyncIterable<string> },
  runs: readonly string[],
): AsyncGenerator<readonly FileVerdict[]> {
  const problems: RollstreamError[] = [];
  const seen = new Map<string, number>();
  const take = async (lines: readonly VerdictLine[]): Promise<FileVerdict[]> => {
    const known = await attemptsOf(access, lines, runs);
    const found: FileVerdict[] = [];
    for (const line of lines) {
      const about = aboutOf(line, known.get(line.rollout_id) ?? []);
      const problem = 'problem' in about ? about : secondProblem(seen, line, about);
      if ('problem' in problem) problems.push(refusedLine(file.name, line.line, problem.field, problem.problem));
      else found.push({ ...line, about: problem });
    }
    return found;
  };
  let some: VerdictLine[] = [];
  let characters = 0;
  let number = 0;
  for await (const text of file.lines) {
    if (problems.length >= MOST_PROBLEMS) break;
    number += 1;
    try {
      const line = verdictLine(text, file.name, number);
      if (line === null) continue;
      some.push(line);
      characters += line.rollout_id.length + 3;
    } catch (error) {
      if (!(error instanceof RollstreamError)) throw error;
      problems.push(error);
    }
    if (some.length < NAMED.lines && characters < NAMED.characters) continue;
    const found = await take(some);
    if (problems.length === 0) yield found;
    some = [];
    characters = 0;
  }
  const found = some.length === 0 ? [] : await take(some);
  if (problems.length > 0) throw together(problems);
  if (found.length > 0) yield found;
}

interface Problem {
  readonly field: string;
  readonly problem: string;
}

async function attemptsOf(
  access: Pick<Access, 'query'>,
  lines: readonly VerdictLine[],
  runs: readonly string[],
): Promise<ReadonlyMap<string, readonly AttemptKey[]>> {
  const rows = await rowsOf<AttemptKey>(
    access,
    `SELECT run_id, epoch, unit, rollout_id, attempt FROM rollstream.live_attempts
     WHERE rollout_id IN {rollouts:Array(String)} AND (empty({runs:Array(String)}) OR run_id IN {runs:Array(String)})
     ORDER BY run_id, epoch, unit, attempt`,
    { rollouts: [...new Set(lines.map(({ rollout_id }) => rollout_id))], runs },
  );
  const known = new Map<string, AttemptKey[]>();
  for (const row of rows) {
    const others = known.get(row.rollout_id);
    if (others === undefined) known.set(row.rollout_id, [row]);
    else others.push(row);
  }
  return known;
}

function aboutOf(line: VerdictLine, known: readonly AttemptKey[]): AttemptKey | Problem {
  const shown = line.rollout_id.toWellFormed();
  if (known.length === 0) return { field: 'rollout_id', problem: `no rollout is named ${shown}` };
  const ofRun = known.filter(({ run_id }) => line.run_id === null || run_id === line.run_id);
  if (ofRun.length === 0) return { field: 'run_id', problem: `rollout ${shown} is in ${namesOf(known, 'run_id')}` };
  const runs = new Set(ofRun.map(({ run_id }) => run_id));
  if (runs.size > 1)
    return { field: 'run_id', problem: `needed, since rollout ${shown} is in ${namesOf(ofRun, 'run_id')}` };
  const ofEpoch = ofRun.filter(({ epoch }) => line.epoch === null || epoch === line.epoch);
  if (ofEpoch.length === 0)
    return { field: 'epoch', problem: `rollout ${shown} is in epoch ${namesOf(ofRun, 'epoch')}` };
  if (new Set(ofEpoch.map(({ unit }) => unit)).size > 1) {
    const isTold = line.epoch === null && new Set(ofEpoch.map(({ epoch }) => epoch)).size > 1;
    const problem = isTold
      ? { field: 'epoch', problem: `needed, since rollout ${shown} is in epochs ${namesOf(ofEpoch, 'epoch')}` }
      : {
          field: 'rollout_id',
          problem: `${shown} is in ${namesOf(ofEpoch, 'unit')}: it cannot be told which is meant`,
        };
    return problem;
  }
  const found = line.attempt === null ? ofEpoch.at(-1) : ofEpoch.find(({ attempt }) => attempt === line.attempt);
  if (found !== undefined) return found;
  return { field: 'attempt', problem: `rollout ${shown} has the attempts ${namesOf(ofEpoch, 'attempt')}` };
}

/** The same scorer on the same attempt and turn twice: nobody could say which counts. */
function secondProblem(seen: Map<string, number>, line: VerdictLine, about: AttemptKey): AttemptKey | Problem {
  const { run_id, unit, rollout_id, attempt } = about;
  const key = JSON.stringify([run_id, unit, rollout_id, attempt, line.scorer, line.bound_to]);
  const first = seen.get(key);
  if (first !== undefined)
    return { field: 'rollout_id', problem: `line ${first} has a verdict of ${line.scorer} about it already` };
  seen.set(key, line.line);
  return about;
}

function namesOf(known: readonly AttemptKey[], field: 'run_id' | 'epoch' | 'unit' | 'attempt'): string {
  return [...new Set(known.map((one) => String(one[field]).toWellFormed()))].slice(0, 10).join(', ');
}

function together(problems: readonly RollstreamError[]): RollstreamError {
  const inOrder = problems.toSorted((a, b) => Number(a.facts.line) - Number(b.facts.line));
  const [first] = inOrder;
  const more = problems.length >= MOST_PROBLEMS ? '\n…' : '';
  const message = inOrder.map((problem) => problem.message).join('\n');
  return new RollstreamError(
    'RS_INPUT_REFUSED',
    `${message}${more}`,
    first === undefined ? {} : { facts: first.facts },
  );
}
