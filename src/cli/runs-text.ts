import type { Removed, RunSummary } from '../runs/runs.ts';
import type { Paint } from './paint.ts';
import { drawTable, visible } from './table.ts';

const COLOURS = { active: 'green', archived: 'yellow', deleting: 'yellow', deleted: 'dim' } as const;

/** A line a run. Deleted ones that events came of afterwards are told of below. */
export function runsText(runs: readonly RunSummary[], paint: Paint): string {
  if (runs.length === 0) return 'no runs yet\n';
  const head = ['run', 'state', 'purpose', 'started', 'ready', 'open', 'last event', 'note'];
  const rows = runs.map(({ run_id, state, purpose, started, ready, open, last_event_at, note }) => [
    ...[run_id, paint(COLOURS[state], state), purpose ?? '', String(started), String(ready), String(open)],
    ...[last_event_at?.slice(0, 19) ?? '', note],
  ]);
  const after = runs.filter(hasEventsAfter).map(({ run_id }) => visible(run_id));
  const told =
    after.length === 0
      ? ''
      : `\n${paint('yellow', `events came after the deletion of ${after.join(', ')}: somebody writes to the topic itself`)}\n`;
  return `${drawTable(head, rows, paint)}${told}`;
}

/** A run that was deleted and has rows: its producers go on, past the server. */
export function hasEventsAfter({ state, started, closed }: Pick<RunSummary, 'state' | 'started' | 'closed'>): boolean {
  return state === 'deleted' && started + closed > 0;
}

export function removedText({ run_id, removed, stays }: Removed): string {
  const rows = Object.entries(removed).map(([name, n]) => [name, String(n)]);
  const table = rows.length === 0 ? 'it had no rows\n' : drawTable(['removed from', 'rows'], rows);
  return `run ${visible(run_id)} is deleted\n\n${table}\nStill there:\n${stays.map((one) => `- ${one}\n`).join('')}`;
}
