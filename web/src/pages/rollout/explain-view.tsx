import type { ExplainedAttempt, ExplainedRollout } from '../../../../src/access/explanation.ts';
import { attemptLines } from '../../../../src/cli/attempt-lines.ts';
import { numberOf } from '../../api/row.ts';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { LongText } from './long-text.tsx';

/** What `rollstream explain` says: the facts, then what was decided from them, by which rule, beside whom. */
export function ExplainView({
  rollout,
  attempt,
}: {
  readonly rollout: ExplainedRollout;
  readonly attempt: ExplainedAttempt;
}) {
  return (
    <div class="explain">
      <section class="card" aria-label="facts and decision">
        <h2>facts and decision</h2>
        <dl class="facts-list">
          {attemptLines(attempt).map(([name, value], nth) => (
            <div key={nth}>
              <dt>{name}</dt>
              <dd>
                <UntrustedText text={value} />
              </dd>
            </div>
          ))}
        </dl>
      </section>
      {attempt.would_train.length === 0 ? null : (
        <section class="card" aria-label="what would have made it train">
          <h2>what would have made it train, each by itself</h2>
          <ul>
            {attempt.would_train.map((way) => (
              <li key={way}>
                <UntrustedText text={way} />
              </li>
            ))}
          </ul>
        </section>
      )}
      <Policy attempt={attempt} />
      <Reward attempt={attempt} />
      <Group rollout={rollout} attempt={attempt} />
      <Beside attempt={attempt} />
    </div>
  );
}

function Policy({ attempt: { policy, decision } }: { readonly attempt: ExplainedAttempt }) {
  if (policy === null || decision === null) return null;
  return (
    <section class="card" aria-label="the policy that fired">
      <h2>the policy that fired</h2>
      <p>
        <UntrustedText text={`${policy.name}${policy.file === null ? '' : `, ${policy.file}`}, ${policy.policy_id}`} />
      </p>
      {policy.rules.map(({ path, line, text }) => (
        <div key={path}>
          <p>
            <code>{path}</code> {line === null ? '(not written there: a default holds)' : `line ${line}`}
          </p>
          {text === null ? null : <LongText text={text} label={`rule ${path}`} />}
        </div>
      ))}
      <p>
        why, the first is what accounting counts: <UntrustedText text={decision.why.join(', ')} />
      </p>
    </section>
  );
}

function Reward({ attempt: { reward_parts: parts, decision } }: { readonly attempt: ExplainedAttempt }) {
  if (parts.length === 0) return null;
  const known = parts.every(({ value }) => value !== null);
  const sum = parts.reduce((total, { value }) => total + (value ?? 0), 0);
  return (
    <section class="card" aria-label="reward">
      <h2>reward</h2>
      <Table
        caption={`${known ? `the parts add up to ${sum}` : 'a part is missing, so there is no sum'}; the reward is ${decision?.reward ?? 'null'}`}
        columns={[{ name: 'name' }, { name: 'value', isNumber: true }, { name: 'from' }]}
        rows={parts.map(({ name, value, from }) => ({ name, value, from }))}
      />
    </section>
  );
}

function Group({
  rollout: { group, run_id: run },
  attempt,
}: {
  readonly rollout: ExplainedRollout;
  readonly attempt: ExplainedAttempt;
}) {
  if (group === null) return null;
  const { size, stats, members } = group;
  const baseline =
    stats === null
      ? 'no baseline'
      : `baseline ${stats.baseline} over ${stats.n}: mean ${stats.mean ?? 'null'}, std ${stats.std ?? 'null'}`;
  return (
    <section class="card wide" aria-label="group">
      <h2>
        group <UntrustedText text={group.group_id} />
      </h2>
      <p class="note">
        {size === null
          ? 'Of unknown size: each member passes alone, without advantage'
          : `${members.length} of ${size} have started; ${baseline}`}
        . This rollout: advantage {attempt.decision?.advantage ?? 'null'}.
      </p>
      <Table
        caption="the newest attempt of each member"
        columns={[
          {
            name: 'rollout_id',
            title: 'rollout',
            draw: (row) => (
              <RolloutLink run={run} rollout={String(row.rollout_id)} attempt={numberOf(row, 'attempt')} />
            ),
          },
          { name: 'disposition' },
          { name: 'why' },
          { name: 'reward', isNumber: true },
          { name: 'reward_valid', title: 'valid' },
          { name: 'advantage', isNumber: true },
          { name: 'in_loss', title: 'in loss' },
          { name: 'in_baseline', title: 'in baseline' },
        ]}
        rows={members}
      />
    </section>
  );
}

function Beside({
  attempt: { deliveries = [], step_faults: faults, replays = [] },
}: {
  readonly attempt: ExplainedAttempt;
}) {
  return (
    <>
      {deliveries.length === 0 ? null : (
        <section class="card wide" aria-label="deliveries">
          <h2>deliveries</h2>
          <Table
            caption="what became of it, in its run and in forks"
            columns={['run_id', 'state', 'consumer', 'lineage', 'step', 'lag', 'deliveries', 'deadline', 'reason'].map(
              (name) => ({ name }),
            )}
            rows={deliveries}
          />
        </section>
      )}
      {replays.length === 0 ? null : (
        <section class="card wide" aria-label="replays">
          <h2>replays</h2>
          <Table
            caption="how finished replays decided it"
            columns={['replay_id', 'label', 'ended_at', 'latest', 'disposition', 'why', 'reward', 'advantage'].map(
              (name) => ({ name }),
            )}
            rows={replays.map(({ replay_id, label, ended_at, latest, decision }) => ({
              replay_id,
              label,
              ended_at,
              latest,
              ...decision,
            }))}
          />
        </section>
      )}
      {faults.length === 0 ? null : (
        <section class="card wide" aria-label="events that were not taken in">
          <h2>events that were not taken in</h2>
          <Table
            caption="faults"
            columns={['kind', 'seq', 'reason', 'reason_detail', 'partition', 'offset'].map((name) => ({ name }))}
            rows={faults}
          />
        </section>
      )}
    </>
  );
}
