import { named, numberOf, type Row, statement, textOf, useRows } from '../../api/rows.ts';
import { count, decimal } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import expectedSql from './expected.sql?raw';
import { ruleWords, STATES, statsOf } from './group-book.ts';
import { MembersTable } from './members-table.tsx';
import { RewardDots } from './reward-dots.tsx';
import versionsSql from './versions.sql?raw';
import { VersionsTable } from './versions-table.tsx';

/** One group: rewards, what they are measured by, advantages, who was left out and why. */
export function OneGroup({ run, unit }: { readonly run: string; readonly unit: string }) {
  return (
    <>
      <Panel
        title={`Group ${unit}`}
        source={named('group_members', { run, unit })}
        empty="Nothing was decided in this group: the list below has those that there are."
        isWide
      >
        {(members) => <Members members={members} unit={unit} />}
      </Panel>
      <Panel
        title="Score versions of the group"
        source={statement(versionsSql, { unit })}
        empty={`No replay has scored it again: npx rollstream replay --run ${run === '' ? 'RUN' : run} --policy strict --save`}
        isWide
      >
        {(rows) => <VersionsTable run={run} rows={rows} />}
      </Panel>
    </>
  );
}

function Members({ members, unit }: { readonly members: readonly Row[]; readonly unit: string }) {
  const [size] = useRows(statement(expectedSql, { unit })).value ?? [];
  const [expected, ready] = [numberOf(size, 'expected'), numberOf(size, 'ready')];
  const isPartial = expected !== null && ready !== null && ready > 0 && ready < expected;
  const stats = statsOf(members);
  const unscored = members.filter((member) => numberOf(member, 'reward') === null).length;
  const inBaseline = members.filter(({ in_baseline }) => in_baseline === true);
  const rewards = new Set(inBaseline.map((member) => numberOf(member, 'reward')));
  const isFlat = inBaseline.length > 1 && rewards.size === 1;
  return (
    <>
      <p class="sentence">
        {`${count(new Set(members.map((member) => textOf(member, 'rollout_id'))).size)} rollouts in ${count(members.length)} tries: ${count(members.filter(({ in_loss }) => in_loss === true).length)} in the loss, ${count(inBaseline.length)} in the baseline. `}
        {isPartial ? (
          <Badge text={`partial: ${count(ready)} of ${count(expected)} members`} means={STATES.partial} />
        ) : null}
        {isFlat ? <Badge text="zero variance" means={STATES.zero_variance} /> : null}
      </p>
      <p class="note">
        {stats === null
          ? 'No advantage was computed: its members passed one by one, or none passed.'
          : `Advantage by ${stats.baseline}: ${ruleWords(stats.baseline)}, over ${count(stats.n)} rewards with mean ${decimal(stats.mean)} and std ${decimal(stats.std)}.`}
        {isFlat ? ' All rewards in the baseline are the same: each advantage is 0, and nothing is learnt.' : ''}
        {unscored === 0
          ? ''
          : ` ${count(unscored)} ${unscored === 1 ? 'try has' : 'tries have'} no reward, and no dot.`}
      </p>
      <RewardDots members={members} stats={stats} />
      <p class="legend">
        <span class="dot trains" aria-hidden="true" /> in the loss <span class="dot measured" aria-hidden="true" /> in
        the baseline alone <span class="dot out" aria-hidden="true" /> in neither
      </p>
      <MembersTable members={members} />
      <p>
        <button type="button" onClick={() => goWith({ unit: null })}>
          Close the group
        </button>{' '}
        <span class="faint">
          <UntrustedText text={textOf(members[0], 'run_id')} />
        </span>
      </p>
    </>
  );
}

function Badge({ text, means }: { readonly text: string; readonly means: string | undefined }) {
  return (
    <span class="badge warn" title={means}>
      {text}
    </span>
  );
}
