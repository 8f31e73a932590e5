import { expect, it } from 'vitest';
import { RollstreamError } from '../../../src/errors.ts';
import { splitCommand } from '../../../src/verify/split-command.ts';

it('words are cut as a shell quotes them, and nothing in them is expanded', () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['python3 check.py', ['python3', 'check.py']],
    ['  sh -c \'grep -c "$HOME" | head; rm *\' ', ['sh', '-c', 'grep -c "$HOME" | head; rm *']],
    ['a "b \\"c\\" \\\\ \\n" d', ['a', 'b "c" \\ \\n', 'd']],
    ["one' 'word a\\ b ''", ['one word', 'a b', '']],
    ['$(id) `id` ~ > x', ['$(id)', '`id`', '~', '>', 'x']],
    ['   ', []],
  ];
  for (const [text, words] of cases) expect(splitCommand(text), text).toEqual(words);
});

it('what is not closed is refused, naming the flag', () => {
  for (const text of ['a "b', "a 'b", 'a\\']) {
    expect(() => splitCommand(text), text).toThrow(RollstreamError);
    expect(() => splitCommand(text), text).toThrow(/^verifier: /);
  }
});
