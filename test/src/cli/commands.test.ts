import { Command } from 'commander';
import { expect, it } from 'vitest';
import { COMMANDS, commandsOf } from '../../../src/cli/commands.ts';
import { addGlobalFlags } from '../../../src/cli/global-flags.ts';

const globalFlags = addGlobalFlags(new Command()).options;

async function namesOf(argv: readonly string[]): Promise<string[]> {
  const program = new Command();
  for (const add of await commandsOf(argv, globalFlags)) add(program, async () => undefined);
  return program.commands.map((command) => command.name());
}

it('a command is called by its own name', async () => {
  for (const word of Object.keys(COMMANDS)) expect(await namesOf([word])).toEqual([word]);
});

it.each([[['--data', 'query', 'ready', '--run', 'up']], [['--log-level=debug', '--json', 'ready', 'query']]])(
  'of %j the command is ready alone: a value of a flag calls none',
  async (argv) => {
    expect(await namesOf(argv)).toEqual(['ready']);
  },
);

it.each([[[]], [['--help']], [['redy']], [['constructor']]])(
  'of %j all are there, for the help and for advice',
  async (argv) => {
    expect(await namesOf(argv)).toEqual(Object.keys(COMMANDS));
  },
);

it('the version needs none of them', async () => {
  expect(await namesOf(['--version'])).toEqual([]);
  expect(await namesOf(['ready', '--version'])).toEqual(['ready']);
});
