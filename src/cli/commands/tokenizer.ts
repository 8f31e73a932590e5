import type { Command } from 'commander';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';

const EXAMPLE = `
DIR holds tokenizer.json, and where there are, tokenizer_config.json and chat_template.jinja. Shown are what the audits know of it:
what the chat template writes between messages, whether prompts only ever grow at their end, which turns break that, and a patch of
the template that mends it. The patch was rendered before it is shown. Exit code 1 where no rules can be derived.

Example:
  $ rollstream tokenizer inspect ./Qwen3-8B
  $ rollstream tokenizer inspect ./Qwen3-8B --json | jq -r .template.mend.patch > append-only.patch`;

export function addTokenizer(program: Command, run: Run): void {
  const tokenizer = program.command('tokenizer').description('what is known of a tokenizer and its chat template');
  const inspect = tokenizer
    .command('inspect')
    .description('loads a folder, and shows what was derived from it')
    .argument('<dir>', 'folder with tokenizer.json')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(inspect).action((folder: string, flags: GlobalFlags) =>
    run(flags, (context) => inspectFolder(context, folder)),
  );
}

async function inspectFolder({ io, flags, out, paint }: CommandContext, folder: string): Promise<number> {
  // Native code and a template engine: only this command pays for them.
  const [{ resolve }, { loadTokenizer }, { inspectTokenizer }, { inspectionText }] = await Promise.all([
    import('node:path'),
    import('../../tokenizers/load-tokenizer.ts'),
    import('../../tokenizers/template/inspect-tokenizer.ts'),
    import('../inspection-text.ts'),
  ]);
  const tokenizer = await loadTokenizer(resolve(io.cwd, folder));
  try {
    const inspection = await inspectTokenizer(tokenizer);
    await out.write(
      flags.json === true ? `${JSON.stringify(inspection)}\n` : inspectionText(inspection, tokenizer, paint),
    );
    return 0;
  } finally {
    tokenizer.close();
  }
}
