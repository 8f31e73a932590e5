import { expect, it } from 'vitest';
import { reportHtml } from '../../../../src/rescore/report/html.ts';
import { changedAttempt, decidedAs, repairedReport, sampleReport } from './sample-report.ts';

/** Text of the page, tags left out, by place. */
const cellsOf = (page: string): string[] =>
  [...page.matchAll(/<(?:td|th|li|p|h1)\b[^>]*>(.*?)<\/(?:td|th|li|p|h1)>/gs)].map(([, inner = '']) =>
    inner.replace(/<[^>]+>/g, '').trim(),
  );

it('has all that the terminal is told, and reaches for nothing outside of itself', () => {
  const page = reportHtml(repairedReport());
  expect(cellsOf(page)).toEqual(
    expect.arrayContaining([
      'Replay repaired done',
      'changed: 3 of 40 (7.5 %)',
      'rewards: 3 changed; their mean from 0.5 to 0.75 over 39 attempts that have one before and after; 2 signs flip',
      ...['2gsm-7', '2gsm-1', '1gsm-3', 'and 1 attempt of other values', '-0.75 → 0.75'],
      ...['train → not opened: already_decided', 'a, b, c, d, e, f and 1 more', 'left out as already_trained: 5'],
      'look at one: rollstream explain gsm-1',
    ]),
  );
  expect(page).not.toMatch(/<script|<link|<img|src=|url\(|https?:/);
  expect(page).toContain('prefers-color-scheme:dark');
});

it('whatever a producer or a person wrote is text', () => {
  const evil = '<script>alert(1)</script>"><img src=x onerror=alert(2)>';
  const report = sampleReport(
    {
      changed: 1,
      dispositions: [{ from: evil, to: evil.toUpperCase(), n: 1, examples: [evil] }],
      reasons: [{ from: 'a', to: evil, n: 1, examples: [evil] }],
      rewards: {
        matrix: Array.from({ length: 20 }, (_, index) => ({ from: evil, to: `${index}`, n: 1, examples: [evil] })),
        ...{ other: 0, changed: 20, both: 0, sum_before: 0, sum_after: 0, sign_flips: 0 },
      },
      advantages: {
        ...{ groups_moved: 1, attempts_moved: 1, largest: 1 },
        examples: [{ unit: evil, before: 0, after: 1 }],
      },
      examples: [changedAttempt(evil, { unit: evil, before: decidedAs({ reason_code: evil }) })],
    },
    { replay_id: evil, label: evil, error: { code: 'RS_X', message: evil } },
    {
      ...{ against: evil, policy_id: evil, taxonomy_id: evil },
      refused: [{ reason: evil, detail: evil, n: 1, rollouts: [evil] }],
      emitted: { topic: evil, units: 1, trajectories: 1, left_out: { [evil]: 1 } },
    },
  );
  const page = reportHtml(report);
  expect(page).not.toMatch(/<script|<img|<SCRIPT|<IMG/);
  // No attribute ends early: between its quotes nothing but what was meant.
  for (const [, value = ''] of page.matchAll(/ title="([^"]*)"/g)) expect(value).toMatch(/^&lt;script/);
});

it('the values of rewards stand by size, null first', () => {
  const cell = (from: string, to: string) => ({ from, to, n: 1, examples: ['a'] });
  const matrix = [cell('10', '-1'), cell('2', 'null'), cell('null', '2'), cell('-1', '10')];
  const rewards = { matrix, other: 0, changed: 4, both: 2, sum_before: 9, sum_after: 9, sign_flips: 2 };
  const page = reportHtml(sampleReport({ changed: 4, rewards }));
  const [, square = ''] = page.match(/<table class="square">(.*?)<\/table>/s) ?? [];
  const heads = [...square.matchAll(/<th>(.*?)<\/th>/g)].map(([, text]) => text);
  expect(heads).toEqual(['was ↓ is →', ...['null', '-1', '2', '10'], ...['null', '-1', '2', '10']]);
});
