import type { RunAccounting } from '../../../src/clickhouse/accounting.ts';
import type { ReplayReport } from '../../../src/rescore/replays.ts';
import type { ReadRecord } from './read-replayed.ts';
import type { InWeights, RunTrainer } from './run-trainer.ts';
import { groupsOf, isChanged, nameOf, type SentRollout } from './sums-runs.ts';

export interface CheckedReplay {
  readonly replayId: string;
  readonly sent: ReadonlyMap<string, SentRollout>;
  /** All of the ready topic, by a client that is not ours. */
  readonly read: readonly ReadRecord[];
  readonly trainers: readonly RunTrainer[];
  readonly report: ReplayReport;
  readonly books: readonly RunAccounting[];
}

/** What is wrong with what a replay emitted, with what the trainers hold, and with the books; one line each. */
export function checkReplay(of: CheckedReplay): string[] {
  const emitted = new Set(
    of.read
      .filter(({ replay }) => replay !== '')
      .map(({ trajectory: { run_id, group_id } }) => nameOf(run_id, group_id ?? '')),
  );
  const wrong = [...checkTopic(of), ...checkEmitted(of, emitted)];
  for (const trainer of of.trainers) wrong.push(...checkWeights(of, trainer, emitted));
  return [...wrong, ...checkBooks(of)];
}

/** Each rollout once live and at most once by the replay, there with the reward that is right, and naming what it replaces. */
function checkTopic({ replayId, sent, read }: CheckedReplay): string[] {
  const wrong: string[] = [];
  const live = new Map<string, string>();
  const again = new Set<string>();
  for (const { replay, trajectory } of read) {
    const { run_id, rollout_id, reward, score_id, supersedes } = trajectory;
    const name = nameOf(run_id, rollout_id);
    const known = sent.get(name);
    if (replay === '') {
      if (live.has(name)) wrong.push(`${name} is live on the topic twice`);
      live.set(name, score_id);
      continue;
    }
    if (replay !== replayId) wrong.push(`${name} is of a replay ${replay}`);
    if (again.has(name)) wrong.push(`${name} was emitted twice`);
    again.add(name);
    if (reward !== known?.after) wrong.push(`${name} was emitted with ${reward}, and ${known?.after} is right`);
    // Null where it is the same score, though its group changed.
    if (supersedes !== live.get(name) && (supersedes !== null || reward !== known?.before))
      wrong.push(`${name} supersedes ${supersedes}, and was ${live.get(name)}`);
  }
  if (live.size !== sent.size) wrong.push(`${live.size} of ${sent.size} are live on the topic`);
  return wrong;
}

/** Groups whole, none that stayed as it was, and all that changed but for what was trained. */
function checkEmitted({ sent, read, trainers, report }: CheckedReplay, emitted: ReadonlySet<string>): string[] {
  const wrong: string[] = [];
  const ever = new Set(trainers.flatMap((trainer) => [...trainer.ever]));
  const again = read.filter(({ replay }) => replay !== '');
  const members = new Set(again.map(({ trajectory: { run_id, rollout_id } }) => nameOf(run_id, rollout_id)));
  for (const [name, group] of groupsOf(sent.values())) {
    const there = group.filter(({ run, rollout }) => members.has(nameOf(run, rollout)));
    const scored = group.filter(({ after }) => after !== null);
    if (!isChanged(group)) {
      if (there.length > 0) wrong.push(`${name} was emitted, and nothing changed in it`);
    } else if (emitted.has(name)) {
      if (there.length !== scored.length) wrong.push(`${name} was emitted with ${there.length} of ${scored.length}`);
    } else if (!ever.has(name)) wrong.push(`${name} changed, was not trained, and was not emitted`);
  }
  const { units, trajectories } = report.emitted ?? { units: -1, trajectories: -1 };
  if (units !== emitted.size || trajectories !== again.length)
    wrong.push(`the report has ${units} groups of ${trajectories}, the topic ${emitted.size} of ${again.length}`);
  return wrong;
}

/** Each group once and whole, by one verifier: the right one where it was emitted before it was leased. */
function checkWeights({ sent }: CheckedReplay, trainer: RunTrainer, emitted: ReadonlySet<string>): string[] {
  const wrong: string[] = [];
  const held = new Map<string, InWeights[]>();
  for (const one of trainer.weights()) held.set(one.unit, [...(held.get(one.unit) ?? []), one]);
  for (const [name, group] of groupsOf([...sent.values()].filter(({ run }) => run === trainer.run))) {
    const some = held.get(name) ?? [];
    const are = (isRight: boolean): boolean => {
      const members = isRight ? group.filter(({ after }) => after !== null) : group;
      const rightOf = ({ before, after }: SentRollout) => (isRight && after !== 'refused' ? after : before);
      const digests = members.map((one) => `${nameOf(one.run, one.rollout)} ${one.digestWith(rightOf(one))}`);
      return (
        digests.sort().join() ===
        some
          .map((one) => `${one.name} ${one.digest}`)
          .sort()
          .join()
      );
    };
    const phases = new Set(some.map(({ phase }) => phase));
    const isSure = phases.has('after') && emitted.has(name);
    const mayBeRight = emitted.has(name) && !phases.has('before');
    if (phases.size !== 1 || !((mayBeRight && are(true)) || (!isSure && are(false))))
      wrong.push(
        `${name} in the weights: ${JSON.stringify(some.map(({ name: of, reward, phase }) => [of, reward, phase]))}`,
      );
  }
  return wrong;
}

function checkBooks({ sent, read, trainers, books }: CheckedReplay): string[] {
  return trainers.flatMap(({ run, weights }) => {
    const book = books.find(({ run_id }) => run_id === run);
    const rollouts = [...sent.values()].filter((one) => one.run === run).length;
    const again = read.filter(({ replay, trajectory }) => replay !== '' && trajectory.run_id === run).length;
    const { trained = -1, replaced = -1, queued = -1 } = book?.ready_states ?? {};
    const isRight =
      book?.balanced === true && book.ready === rollouts && book.re_emitted === again && trained === weights().length;
    const isSum = trained + replaced + queued === rollouts + again;
    return isRight && isSum
      ? []
      : [
          `the books of ${run}: ${JSON.stringify(book)}; ${again} were emitted again, ${weights().length} are in the weights`,
        ];
  });
}
