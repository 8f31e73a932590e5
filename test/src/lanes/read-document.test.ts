import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import { documentIdOf, mustRead, readDocument, readDocumentFile } from '../../../src/lanes/read-document.ts';

const messagesOf = (text: string): string[] => {
  const result = readDocument({ text, where: 'p.yaml' }, readPolicy);
  return 'value' in result ? [] : result.map(({ message }) => message);
};

const TOP = `format: rollstream-policy/1
name: p
retries: 2
categories:
  completion: { disposition: train, awaits_verdict: true, unscored: null }
codes: {}
`;

it('a document that is sound has no problem', () => {
  expect(messagesOf(TOP)).toEqual([]);
});

it('each problem has file and line, path, what is allowed, what is there, and what was probably meant', () => {
  expect(
    messagesOf(`${TOP.replace('disposition: train', 'disposition: trian').replace('retries: 2', 'retries: -1')}
group:
  min_vaild: 2
  ddof: .nan
rules:
  - when: { infra_share_above: 2 }
    then: { penalty: a }
`),
  ).toEqual([
    'p.yaml:5: categories.completion.disposition: expected one of train, train_masked, penalise, drop, retry, quarantine, got "trian" (did you mean train?)',
    'p.yaml:12: rules[0].when.infra_share_above: expected a share from 0 to 1, got 2',
    'p.yaml:13: rules[0].then.penalty: expected a finite number, got "a"',
    'p.yaml:12: rules[0].when: expected infra_share_above below 1, got {"infra_share_above":2}',
    'p.yaml:3: retries: expected a whole number from 0 on, got -1',
    'p.yaml:9: group.min_vaild: expected one of emit, min_valid, baseline, divide_by_std, ddof, eps, zero_variance, tolerance, on_fault, got min_vaild (did you mean min_valid?)',
    'p.yaml:10: group.ddof: expected a finite number, got NaN',
  ]);
});

it('a NaN or infinite weight is refused where it stands', () => {
  expect(messagesOf(`${TOP}reward:\n  weights:\n    answer: .nan\n    a.b: .inf\n`)).toEqual([
    'p.yaml:9: reward.weights.answer: expected a finite number, got NaN',
    'p.yaml:10: reward.weights.a.b: expected a finite number, got Infinity',
  ]);
});

it('two rules of which the second can never fire are both named', () => {
  expect(
    messagesOf(`${TOP}rules:
  - when: { code: [wall_clock, cost] }
    then: { penalty: -1 }
  - when:
      code: [cost]
      env: [math]
    then: { penalty: -2 }
`),
  ).toEqual([
    'p.yaml:10: rules[1]: expected a case that rules[0] does not decide already, got {"code":["cost"],"env":["math"]} (the other is at line 8, rules[0])',
  ]);
});

it('a rule for a finding that `findings` decides already is named with it', () => {
  expect(
    messagesOf(`${TOP}findings:
  silent_repair: drop
rules:
  - when: { finding: [silent_repair] }
    then: { disposition: train }
`),
  ).toEqual([
    'p.yaml:10: rules[0].when.finding: expected a class that findings does not decide already, whatever the rules say, got silent_repair (the other is at line 8, findings.silent_repair)',
  ]);
});

it('a key that stands twice is refused with both lines: one of them would be lost unseen', () => {
  expect(messagesOf(`${TOP}group: { ddof: 1 }\nretries: 3\n`)).toEqual([
    'p.yaml:8: retries: the key stands twice (the other is at line 3)',
  ]);
});

it('what is no YAML says where it breaks off', () => {
  expect(messagesOf('format: [a\nname: b\n')[0]).toMatch(/^p\.yaml:\d: /);
  expect(messagesOf('')[0]).toMatch(/expected an object, got null/);
});

it('what must be usable is thrown with the first problems', () => {
  expect(() => mustRead({ text: TOP.replace('rollstream-policy/1', 'x'), where: 'p.yaml' }, readPolicy)).toThrow(
    'p.yaml:1: format: expected one of rollstream-policy/1, got "x"',
  );
});

it('a text of more than 1 MB is refused before it is parsed, and half a character has no bytes to hash', () => {
  expect(messagesOf(`${TOP}# ${'x'.repeat(1_000_000)}`)).toEqual([
    `p.yaml: expected at most 1000000 bytes, got ${TOP.length + 1_000_002} bytes`,
  ]);
  expect(messagesOf(`${TOP}# \ud800`)).toEqual(['p.yaml: expected UTF-8, got half a character']);
});

it('a condition of 2000 rules for 2000 runs is read, and the one that an earlier covers found among them', () => {
  const rules = Array.from({ length: 1_999 }, (_, i) => `  - { when: { run: [r${i}] }, then: { penalty: -1 } }\n`);
  const covered = '  - { when: { run: [r1500], infra_share_at_most: 0.5 }, then: { penalty: -2 } }\n';
  expect(messagesOf(`${TOP}rules:\n${rules.join('')}${covered}`)).toEqual([
    'p.yaml:2007: rules[1999]: expected a case that rules[1500] does not decide already, got {"run":["r1500"],"infra_share_at_most":0.5} (the other is at line 1508, rules[1500])',
  ]);
});

it('a file that is not UTF-8 is refused with its line: its id would be that of another text', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rollstream-document-'));
  try {
    const file = join(folder, 'p.yaml');
    await writeFile(file, Buffer.from(`${TOP}# caf\u00e9\n`, 'latin1'));
    await expect(readDocumentFile(file, 'p.yaml')).rejects.toThrow('p.yaml:7: not UTF-8');
    // A mark of the byte order is UTF-8, and part of what is hashed.
    await writeFile(file, `\ufeff${TOP}`);
    const { text } = await readDocumentFile(file);
    expect(documentIdOf(text)).toBe(documentIdOf(`\ufeff${TOP}`));
    await expect(readDocumentFile(join(folder, 'none.yaml'))).rejects.toThrow('none.yaml cannot be read');
  } finally {
    await rm(folder, { recursive: true });
  }
});
