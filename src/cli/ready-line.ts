import type { TrajectoryJson } from '../ready/trajectory-json.ts';
import type { Paint } from './paint.ts';
import { visible } from './table.ts';

/** One trajectory in a line for a person. */
export function readyLine(trajectory: TrajectoryJson, paint: Paint): string {
  const tokens = trajectory.segments.reduce((sum, { token_ids }) => sum + token_ids.length, 0);
  const advantage = trajectory.advantage === null ? '' : `  advantage ${signed(trajectory.advantage)}`;
  return [
    paint('bold', visible(`${trajectory.run_id}/${trajectory.rollout_id}`)),
    `attempt ${trajectory.attempt}`,
    paint(trajectory.disposition === 'train' ? 'green' : 'yellow', trajectory.disposition),
    visible(trajectory.why[0] ?? trajectory.category),
    `reward ${trajectory.reward ?? 'null'}${advantage}`,
    paint(
      'dim',
      `${trajectory.turns.length} turn${trajectory.turns.length === 1 ? '' : 's'}, ${tokens} tokens, ${trajectory.rollout_loss_tokens} in the loss`,
    ),
  ].join('  ');
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(3)}`;
}
