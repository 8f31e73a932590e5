import { expect, it } from 'vitest';
import { addedUp, imbalances } from '../../../../../web/src/pages/flow/books.ts';
import { layFlow } from '../../../../../web/src/pages/flow/flow-layout.ts';

const STATES = { queued: 0, leased: 0, trained: 0, expired: 0, undeliverable: 0, trainer_rejected: 0, replaced: 0 };
const RUN = {
  run_id: 'a',
  started: 1_000,
  ready: 900,
  rejected: { env_crash: 60, 'retry:llm_error': 39, unknown: 1 },
  open: 0,
  held: 0,
  lost: 0,
  superseded: 0,
  balanced: true,
  ready_states: { ...STATES, queued: 100, trained: 800 },
  not_taken_in: {},
  inherited: 0,
  re_emitted: 0,
};

it('each place has its number, and what is empty has no place', () => {
  const { nodes } = layFlow(RUN);
  expect(nodes.map(({ id, n, column }) => [column, id, n])).toEqual([
    [0, 'started', 1_000],
    [1, 'ready', 900],
    [1, 'rejected', 100],
    [2, 'state:queued', 100],
    [2, 'state:trained', 800],
    [2, 'reason:env_crash', 60],
    [2, 'reason:retry:llm_error', 39],
    [2, 'reason:unknown', 1],
  ]);
});

it('widths are in proportion, the smallest can be seen, and no two places of a column overlap', () => {
  const { nodes, links } = layFlow(RUN);
  const width = (to: string) => links.find((link) => link.to.id === to)?.width ?? 0;
  expect(width('ready') / width('rejected')).toBeCloseTo(9);
  expect(width('state:trained') / width('state:queued')).toBeCloseTo(8);
  expect(width('reason:unknown')).toBe(2);
  for (const column of [0, 1, 2]) {
    const own = nodes.filter((node) => node.column === column);
    own.slice(1).forEach((node, index) => {
      const above = own[index];
      expect(node.y).toBeGreaterThanOrEqual((above?.y ?? 0) + (above?.height ?? 0));
    });
  }
});

it('reasons beyond the tenth stand together', () => {
  const rejected = Object.fromEntries(Array.from({ length: 13 }, (_, n) => [`reason_${n}`, 100 - n]));
  const last = layFlow({ ...RUN, rejected }).nodes.at(-1);
  expect([last?.title, last?.n]).toEqual(['3 other reasons', 90 + 89 + 88]);
});

it('what a fork took over and a replay sent again is ready without having started', () => {
  const forked = { ...RUN, inherited: 50, re_emitted: 25, ready_states: { ...STATES, queued: 975 } };
  const { nodes, links } = layFlow(forked);
  expect(nodes.find(({ id }) => id === 'ready')?.n).toBe(975);
  expect(links.filter(({ to }) => to.id === 'ready').map(({ from, n }) => [from.id, n])).toEqual([
    ['started', 900],
    ['inherited', 50],
    ['re_emitted', 25],
  ]);
});

it('books of several runs add up, and one that does not balance says what is missing', () => {
  const torn = { ...RUN, run_id: 'b', started: 1_001, balanced: false };
  const sum = addedUp([RUN, torn]);
  expect([sum.started, sum.rejected.env_crash, sum.ready_states.trained, sum.balanced]).toEqual([
    2_001,
    120,
    1_600,
    false,
  ]);
  expect(imbalances([RUN, torn])).toEqual(['b: 1001 started, 1000 are in a book.']);
  const undelivered = { ...RUN, balanced: false, ready_states: { ...STATES, queued: 899 } };
  expect(imbalances([undelivered])).toEqual(['a: 900 are ready, 899 have a state of delivery.']);
});
