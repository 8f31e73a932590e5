import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attemptsInFile } from './attempts-in-file.ts';
import { objectsOf, parseObject } from './read-json.ts';

const ROLLOUTS = join(import.meta.dirname, '../../examples/rollouts');
const MAX_BYTES = 2_000_000;

const folders = readdirSync(ROLLOUTS);

function dataFiles(folder: string): string[] {
  return readdirSync(join(ROLLOUTS, folder)).filter((name) => name.endsWith('.jsonl'));
}

describe.each(folders)('examples/rollouts/%s', (folder) => {
  const expected = parseObject(readFileSync(join(ROLLOUTS, folder, 'expected.json'), 'utf8'));
  const rollouts = objectsOf(expected.rollouts);
  const counted = dataFiles(folder).map((name) => ({
    name,
    ...attemptsInFile(name, readFileSync(join(ROLLOUTS, folder, name), 'utf8')),
  }));

  test('has exactly one expectation for each attempt in its files, with its turns and sampled tokens', () => {
    const stated = rollouts.map((rollout) => ({
      id: `${rollout.rollout_id} ${rollout.attempt}`,
      turns: rollout.n_turns,
      sampledTokens: rollout.sampled_tokens,
    }));
    const byId = (left: { id: string }, right: { id: string }) => left.id.localeCompare(right.id);
    // Turns of a rollout without tokens are counted from its messages.
    expect(stated.sort(byId)).toEqual(counted.flatMap((file) => file.attempts).sort(byId));
  });

  test('names each repeated and each broken line', () => {
    const lines = (key: 'repeated' | 'broken') =>
      counted.flatMap((file) => file[key].map((line) => `${file.name}:${line}`));
    const stated = (list: unknown) => objectsOf(list).map((entry) => `${entry.file}:${entry.line}`);
    expect(stated(expected.duplicates)).toEqual(lines('repeated'));
    expect(stated(expected.refusals)).toEqual(lines('broken'));
  });

  test('is the run its expectations speak of, with a story for each', () => {
    expect(expected.run_id).toBe(folder);
    for (const rollout of rollouts) expect(String(rollout.story)).toMatch(/^[A-Z].{10,}[.]$/);
  });

  test('expects a reward only where it is valid, and a loss only where there is a reward', () => {
    for (const rollout of rollouts) {
      expect({ ...rollout, reward_valid: rollout.reward !== null }).toEqual(rollout);
      if (rollout.in_loss === true) expect(['train', 'penalise']).toContain(rollout.disposition);
      if (rollout.advantage !== null) expect(rollout.in_loss).toBe(true);
    }
  });
});

test('the examples stay below 2 MB', () => {
  const bytes = folders.flatMap((folder) =>
    dataFiles(folder).map((name) => statSync(join(ROLLOUTS, folder, name)).size),
  );
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_BYTES);
});
