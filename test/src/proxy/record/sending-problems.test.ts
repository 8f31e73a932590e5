import { expect, it } from 'vitest';
import type { Answer } from '../../../../clients/typescript/post.ts';
import { createSendingProblems } from '../../../../src/proxy/record/sending-problems.ts';

const taken: Answer = { kind: 'taken', refused: 0, why: null };
const later = (why: string): Answer => ({ kind: 'later', why, afterMs: null });
const closed = later('HTTP 409: {"error":{"code":"RS_RUN_CLOSED","message":"archived"}}');
const forbidden = later('HTTP 403: {"error":{"code":"RS_FORBIDDEN","message":"not of this run"}}');

it('a run that is refused is said once for each kind of refusal, whatever becomes of others, and once that it goes on', () => {
  const said: string[] = [];
  const problems = createSendingProblems(
    (level, message) => said.push(`${level} ${message}`),
    () => 0,
  );
  for (const answer of [taken, closed, closed]) problems.answered('a', answer);
  for (const answer of [taken, closed, taken, taken]) problems.answered('b', answer);
  for (const answer of [closed, forbidden, forbidden, taken, taken]) problems.answered('a', answer);
  expect(said[0]).toBe('warn events of run "a" are refused, and wait: HTTP 409 RS_RUN_CLOSED: archived');
  expect(said.map((line) => /^(\w+) events of (.+?),? (?:and wait: HTTP (\d+)|again)/.exec(line)?.slice(1))).toEqual([
    ['warn', 'run "a" are refused', '409'],
    ['warn', 'run "b" are refused', '409'],
    ['info', 'run "b" are taken', undefined],
    ['warn', 'run "a" are refused', '403'],
    ['info', 'run "a" are taken', undefined],
  ]);
});

it('a server that is away for 10 s is said once for all runs, and once that it is back; one that is busy for less is not', () => {
  const said: string[] = [];
  let atMs = 0;
  const problems = createSendingProblems(
    (level, message) => said.push(`${level} ${message}`),
    () => atMs,
  );
  const at = (ms: number, run: string, answer: Answer): void => {
    atMs = ms;
    problems.answered(run, answer);
  };
  at(0, 'a', later('HTTP 429: busy'));
  at(9_000, 'a', taken);
  at(9_500, 'a', later('fetch failed'));
  at(19_400, 'b', later('fetch failed'));
  expect(said).toEqual([]);
  for (const ms of [19_500, 20_000, 60_000]) at(ms, 'b', later('fetch failed'));
  for (const ms of [70_000, 71_000]) at(ms, 'a', taken);
  expect(said).toEqual(['warn the server takes no events, which wait: fetch failed', 'info the server answers again']);
});
