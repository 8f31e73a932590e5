import { numberOf, type Row, textOf } from '../../api/rows.ts';
import { decimal } from '../../parts/format.ts';
import { rolloutHref } from '../../parts/rollout-link.tsx';
import type { GroupStats } from './group-book.ts';
import { rewardScale, stacked } from './reward-scale.ts';

const DOT_PX = 18;

/** Rewards of a group on a line, with the mean that they are measured by and one std around it. */
export function RewardDots({
  members,
  stats,
}: {
  readonly members: readonly Row[];
  readonly stats: GroupStats | null;
}) {
  const scored = members.filter((member) => numberOf(member, 'reward') !== null);
  const rewards = scored.map((member) => numberOf(member, 'reward') ?? 0);
  const mean = stats?.mean ?? null;
  const std = stats?.std ?? null;
  const band = mean === null || std === null ? [] : [mean - std, mean + std];
  const scale = rewardScale([...rewards, ...band]);
  const heights = stacked(rewards.map((reward) => scale.place(reward)));
  const percentOf = (value: number): string => `${scale.place(value) * 100}%`;
  return (
    <div
      class="strip"
      style={{ height: `${(Math.max(1, ...heights.map((height) => height + 1)) + 1) * DOT_PX + 40}px` }}
    >
      {mean === null || std === null ? null : (
        <div
          class="band"
          title={`one std around the mean: ${decimal(mean - std)} to ${decimal(mean + std)}`}
          style={{
            left: percentOf(mean - std),
            width: `${(scale.place(mean + std) - scale.place(mean - std)) * 100}%`,
          }}
        />
      )}
      {mean === null ? null : (
        <div class="mean" style={{ left: percentOf(mean) }}>
          <span>mean {decimal(mean)}</span>
        </div>
      )}
      <ul aria-label="Rewards of the members">
        {scored.map((member, place) => (
          <li
            key={place}
            style={{ left: percentOf(rewards[place] ?? 0), bottom: `${24 + (heights[place] ?? 0) * DOT_PX}px` }}
          >
            <a
              class={`dot ${kindOf(member)}`}
              href={rolloutHref({
                run: textOf(member, 'run_id'),
                rollout: textOf(member, 'rollout_id'),
                attempt: numberOf(member, 'attempt'),
              })}
              title={labelOf(member)}
            >
              <span class="unseen">{labelOf(member)}</span>
            </a>
          </li>
        ))}
      </ul>
      {scale.ticks.map((tick) => (
        <span key={tick} class="tick" style={{ left: percentOf(tick) }}>
          {decimal(tick, 2)}
        </span>
      ))}
    </div>
  );
}

export type DotKind = 'trains' | 'measured' | 'out';

/** In the loss; in the baseline alone; in neither. */
export function kindOf(member: Row): DotKind {
  if (member.in_loss === true) return 'trains';
  return member.in_baseline === true ? 'measured' : 'out';
}

const KINDS: Readonly<Record<DotKind, string>> = {
  trains: 'in the loss',
  measured: 'in the baseline alone',
  out: 'in neither loss nor baseline',
};

function labelOf(member: Row): string {
  const attempt = numberOf(member, 'attempt') ?? 0;
  const name = `${textOf(member, 'rollout_id')}${attempt === 0 ? '' : ` try ${attempt}`}`;
  return `${name}: reward ${decimal(numberOf(member, 'reward'))}, ${KINDS[kindOf(member)]}`;
}
