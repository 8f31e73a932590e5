import { expect, it } from 'vitest';
import { answerOfText } from '../../../src/verify/answer-of.ts';

it('a reward, rewards by name, a status and a refusal are answers', () => {
  const plain = { report: null, cost: null };
  const cases: readonly (readonly [string, object])[] = [
    ['{"id":"1","reward":0.5}', { status: 'scored', rewards: { reward: 0.5 }, ...plain }],
    ['{"rewards":{"a":1,"b":null}}', { status: 'scored', rewards: { a: 1, b: null }, ...plain }],
    ['{"reward":null}', { status: 'scored', rewards: { reward: null }, ...plain }],
    ['{"status":"not_run","rewards":{"a":null}}', { status: 'not_run', rewards: {}, ...plain }],
    ['{"reward":0,"report":{"why":"x"},"cost":0.01}', { report: '{"why":"x"}', cost: 0.01 }],
    ['{"refuse":"needs the sandbox"}', { status: 'refused', rewards: {}, report: 'needs the sandbox', cost: null }],
  ];
  for (const [text, answer] of cases) expect(answerOfText(text).answer, text).toMatchObject(answer);
});

it('whatever else is said is parse_error with a reason, and has no reward', () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['', /nothing/],
    ['hello', /no JSON document: hello/],
    ['{"reward":NaN}', /NaN is no number of JSON/],
    ['{"reward":-Infinity}', /-Infinity is no number of JSON/],
    ['{"reward":1e999}', /reward: a finite number or null/],
    ['{"reward":"1"}', /reward: a finite number or null/],
    ['{"reward":true}', /reward: a finite number or null/],
    ['"1"', /no object/],
    ['[{"reward":1}]', /no object/],
    ['1', /no object/],
    ['null', /no object/],
    ['{"reward":1}{"reward":0}', /no JSON document/],
    ['{"rewards":[1]}', /rewards: an object/],
    ['{"rewards":{"":1}}', /rewards: a name/],
    ['{"rewards":{"a":"1"}}', /rewards\.a: a finite number/],
    ['{"reward":1,"rewards":{"a":1}}', /one of them/],
    ['{}', /no reward is given/],
    ['{"status":"scored"}', /no reward is given/],
    ['{"status":"timeout","reward":0}', /timeout has no reward/],
    ['{"status":"unknown"}', /status: one of scored/],
    ['{"reward":1,"cost":"1"}', /cost: /],
    ['{"refuse":true}', /refuse: /],
  ];
  for (const [text, reason] of cases) {
    const { answer } = answerOfText(text);
    expect(answer, text).toMatchObject({ status: 'parse_error', rewards: {} });
    expect(answer.report, text).toMatch(reason);
  }
});

it('a report is bounded, and can be written down', () => {
  const { answer } = answerOfText(JSON.stringify({ reward: 1, report: `\ud800${'x'.repeat(100_000)}` }));
  expect(answer.report).toHaveLength(16_001);
  expect(answer.report?.isWellFormed()).toBe(true);
});
