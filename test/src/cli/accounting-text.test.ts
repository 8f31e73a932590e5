import { expect, it } from 'vitest';
import { accountingText } from '../../../src/cli/accounting-text.ts';
import type { RunAccounting } from '../../../src/clickhouse/accounting.ts';

const RUN: RunAccounting = {
  ...{ run_id: 'run', started: 12, ready: 7, rejected: { unknown: 5 }, open: 0, held: 0, lost: 0, superseded: 0 },
  ready_states: { queued: 7, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 },
  ...{ balanced: true, not_taken_in: {}, inherited: 0, re_emitted: 0 },
};
const linesOf = (run: Partial<RunAccounting>) => accountingText({ runs: [{ ...RUN, ...run }] }).split('\n');
const cells = (line = '') => line.trim().split(/ +/);

it('says nothing of delivery as long as nobody has taken anything', () => {
  expect(linesOf({}).filter((line) => line.includes('queued'))).toEqual([]);
});

it('shows what became of what is ready, and of what a fork took over', () => {
  const ready_states = {
    queued: 2,
    leased: 1,
    trained: 5,
    expired: 1,
    undeliverable: 0,
    trainer_rejected: 0,
    replaced: 0,
  };
  const lines = linesOf({ ready_states, inherited: 2 });
  const head = lines.findIndex((line) => line.includes('queued'));
  expect(cells(lines[head])).toEqual(
    'run ready inherited = queued leased trained expired undeliverable trainer_rejected'.split(' '),
  );
  expect(lines.slice(head).map(cells)).toContainEqual(['run', '7', '2', '2', '1', '5', '1', '0', '0']);
});

it('says which of the two sums does not add up', () => {
  const ready_states = { ...RUN.ready_states, trained: 1 };
  expect(linesOf({ balanced: false, ready_states }).join('\n')).toContain('no: 8 of 7 ready');
  expect(linesOf({ balanced: false, started: 13 }).join('\n')).toContain('no: 12 of 13');
});

it('shows what replays wrote to ready again, and what was replaced, where there is any', () => {
  const ready_states = { ...RUN.ready_states, queued: 1, trained: 6, replaced: 2 };
  const lines = linesOf({ ready_states, re_emitted: 2 });
  const head = lines.findIndex((line) => line.includes('queued'));
  expect(cells(lines[head])).toEqual(
    'run ready inherited re_emitted = queued leased trained expired undeliverable trainer_rejected replaced'.split(' '),
  );
  expect(lines.slice(head).map(cells)).toContainEqual(['run', '7', '0', '2', '1', '0', '6', '0', '0', '0', '2']);
  expect(linesOf({ ready_states, re_emitted: 3, balanced: false }).join('\n')).toContain('no: 9 of 10 ready');
});
