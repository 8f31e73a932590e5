import { numberOf, type Row, textOf } from '../../api/rows.ts';
import { count, decimal } from '../../parts/format.ts';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { AdvantageBar } from './advantage-bar.tsx';
import { leftOut } from './left-out.ts';

/** Each attempt of a group: its reward, its advantage, what it counts for, and why not. */
export function MembersTable({ members }: { readonly members: readonly Row[] }) {
  const most = Math.max(0, ...members.map((member) => Math.abs(numberOf(member, 'advantage') ?? 0)));
  return (
    <Table
      caption="Members, and what each counts for"
      columns={[
        {
          name: 'rollout_id',
          title: 'rollout',
          draw: (member) => (
            <RolloutLink
              run={textOf(member, 'run_id')}
              rollout={textOf(member, 'rollout_id')}
              attempt={numberOf(member, 'attempt')}
            />
          ),
        },
        { name: 'disposition', draw: (member) => <span class="code">{textOf(member, 'disposition')}</span> },
        { name: 'reason', draw: (member) => <span class="code">{textOf(member, 'reason')}</span> },
        {
          name: 'reward',
          isNumber: true,
          draw: (member) => (
            <>
              {decimal(numberOf(member, 'reward'))}
              {member.reward !== null && member.reward_valid !== true ? <span class="bad"> invalid</span> : null}
            </>
          ),
        },
        {
          name: 'advantage',
          draw: (member) => <AdvantageBar value={numberOf(member, 'advantage')} most={most} />,
        },
        ...FLAGS.map(
          ([name, title]): Column => ({
            name,
            title,
            draw: (member) => (member[name] === true ? <span class="good">yes</span> : <span class="bad">no</span>),
          }),
        ),
        { name: 'n_tokens', title: 'tokens', isNumber: true, draw: (member) => count(numberOf(member, 'n_tokens')) },
        { name: 'lag', isNumber: true, draw: (member) => count(numberOf(member, 'lag')) },
        { name: 'why', title: 'why left out', draw: (member) => <UntrustedText text={leftOut(member)} /> },
      ]}
      rows={members}
    />
  );
}

const FLAGS = [
  ['in_loss', 'in the loss'],
  ['in_baseline', 'in the baseline'],
  ['counts_for_size', 'for its size'],
] as const;
