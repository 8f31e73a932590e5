import { type Command, InvalidArgumentError } from 'commander';
import { type DeadLetterRecord, listDeadLetters, readDeadLetter } from '../../access/dead-letters.ts';
import { openAccess } from '../../access/open-access.ts';
import type { FramedRecord } from '../../access/record-frames.ts';
import { topicNames } from '../../config/topics.ts';
import { RollstreamError } from '../../errors.ts';
import { hexText, readableText } from '../byte-text.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { openImportTarget } from '../open-import-target.ts';
import { drawTable, visible } from '../table.ts';

const LIST_EXAMPLE = `
Example:
  $ rollstream dead-letter list --code unknown_schema
  $ rollstream dead-letter list --json | jq '.[].letter'`;

const SHOW_EXAMPLE = `
Its bytes as text where they are text, else in hex; with --json as base64.

Example:
  $ rollstream dead-letter show rollout.steps/0/4711`;

const REQUEUE_EXAMPLE = `
The same bytes under the same key, once more at the end of rollout.steps: after a schema was registered, or a fault mended. What
is still unreadable becomes a letter again. Lines that an importer refused never were on a topic: import the file again.

Example:
  $ rollstream dead-letter requeue rollout.steps/0/4711 rollout.steps/0/4712`;

interface ListFlags extends GlobalFlags {
  readonly stage: string;
  readonly code: string;
  readonly limit: number;
}

export function addDeadLetter(program: Command, run: Run): void {
  const letters = program.command('dead-letter').description('records that could not be read').helpCommand(false);
  const list = letters
    .command('list')
    .description('what could not be read, and why')
    .option('--stage <stage>', 'only refused by this stage (import, decode, …)', '')
    .option('--code <code>', 'only with this fault', '')
    .option('--limit <n>', 'at most so many, the latest', wholeNumber, 100)
    .addHelpText('after', LIST_EXAMPLE);
  addGlobalFlags(list).action((flags: ListFlags) => run(flags, (context) => printList(context, flags)));
  const show = letters
    .command('show')
    .description('one of them, byte for byte')
    .argument('<letter>', 'topic/partition/offset')
    .addHelpText('after', SHOW_EXAMPLE);
  addGlobalFlags(show).action((letter: string, flags: GlobalFlags) => run(flags, (context) => print(context, letter)));
  const requeue = letters
    .command('requeue')
    .description('append them to their topic again')
    .argument('<letter...>', 'topic/partition/offset')
    .addHelpText('after', REQUEUE_EXAMPLE);
  addGlobalFlags(requeue).action((names: string[], flags: GlobalFlags) =>
    run(flags, (context) => requeueAll(context, names)),
  );
}

async function printList(context: CommandContext, { stage, code, limit }: ListFlags): Promise<number> {
  const access = await openAccess(context);
  try {
    const letters = await listDeadLetters(access, { stage, code, limit });
    const rows = letters.map((one) => [one.letter, one.stage, one.code, one.field, one.got, `${one.bytes}`]);
    await context.out.write(
      context.flags.json === true
        ? `${JSON.stringify(letters)}\n`
        : drawTable(['letter', 'stage', 'code', 'field', 'got', 'bytes'], rows, context.paint),
    );
    return 0;
  } finally {
    await access.close();
  }
}

async function print(context: CommandContext, name: string): Promise<number> {
  const access = await openAccess(context);
  try {
    const { key, value, ...facts } = await readDeadLetter(access, name);
    if (context.flags.json === true) {
      const bytes = { key_base64: key?.toString('base64') ?? null, value_base64: value.toString('base64') };
      await context.out.write(`${JSON.stringify({ ...facts, ...bytes })}\n`);
      return 0;
    }
    const lines = Object.entries({ ...facts, ...facts.headers })
      .filter(([, fact]) => typeof fact !== 'object')
      .map(([fact, text]) => `${visible(fact)}: ${visible(String(text))}`);
    const keyText = key === null ? 'none' : visible(readableText(key) ?? `hex ${key.toString('hex')}`);
    const body = readableText(value) ?? hexText(value);
    await context.out.write(`${lines.join('\n')}\nkey: ${keyText}\n\n${body}\n`);
    return 0;
  } finally {
    await access.close();
  }
}

async function requeueAll(context: CommandContext, names: readonly string[]): Promise<number> {
  const access = await openAccess(context);
  const records: FramedRecord[] = [];
  try {
    // All of them are looked at before one is appended.
    for (const name of names) records.push(requeued(await readDeadLetter(access, name), context));
  } finally {
    await access.close();
  }
  const { target, close } = await openImportTarget(context, false);
  try {
    await target.appendSteps(records);
    await target.drained();
  } finally {
    await close();
  }
  if (context.flags.json === true) await context.out.write(`${JSON.stringify({ requeued: records.length })}\n`);
  else context.say(`${records.length} appended again`);
  return 0;
}

function requeued({ letter, topic, key, value, headers }: DeadLetterRecord, { config }: CommandContext): FramedRecord {
  const { steps } = topicNames(config.lanes.topicPrefix);
  const refuse = (why: string): never => {
    throw new RollstreamError('RS_USAGE', `${letter}: ${why}`, { facts: { letter } });
  };
  if (topic === 'import') refuse('an importer refused this line: mend its file and import that again');
  if (topic === 'ingest') refuse('a request brought it, and it was refused: mend it and send that again');
  if (topic !== steps) refuse(`it was on ${topic}; what this pipeline reads is ${steps}`);
  if (key === null) return refuse('it has no key, so that it belongs to no unit, and would be refused again');
  return { key, value, headers: { ...headers, requeued_from: letter } };
}

function wholeNumber(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('a whole number is needed');
  return Number(text);
}
