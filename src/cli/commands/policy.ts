import type { Command } from 'commander';
import { policyAgainstTaxonomy } from '../../../processors/decide/policy-against-taxonomy.ts';
import { readPolicy } from '../../../processors/decide/policy-schema.ts';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import type { Access } from '../../access/access.ts';
import { openAccess } from '../../access/open-access.ts';
import { RollstreamError } from '../../errors.ts';
import { configuredPolicy, refuseMismatch, taxonomyText } from '../../lanes/documents.ts';
import {
  type DocumentFault,
  type DocumentText,
  documentIdOf,
  mustRead,
  readDocument,
} from '../../lanes/read-document.ts';
import { diffPolicies } from '../../policies/diff-policies.ts';
import { findPolicy, rowsOf } from '../../policies/find-policy.ts';
import { listPolicies } from '../../policies/list-policies.ts';
import { scopePlaces } from '../../policies/scope-places.ts';
import { tryPolicy } from '../../policies/try-policy.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { diffText, listText, triedText } from '../policy-text.ts';
import { visible } from '../table.ts';

const REFERENCE = `
A policy is a YAML file, the name of one that is shipped (default, dapo, strict, …), or the beginning of an id.
`;

/** `policy check|show|list|diff|apply|try`: docs/policies.md. */
export function addPolicy(program: Command, run: Run): void {
  const policy = program
    .command('policy')
    .description('what decides rewards and dispositions: check, show, compare, try, put in force')
    .helpCommand(false);
  const add = (name: string, description: string, help: string) =>
    addGlobalFlags(policy.command(name).description(description).addHelpText('after', `${REFERENCE}${help}`));

  add('check', 'what is wrong with a policy, by file and line; exit code 1 where something is', CHECK)
    .argument('<policy>', 'file, name or id')
    .action((reference: string, flags: GlobalFlags) =>
      run(flags, (context) => withAccess(context, (access) => check(context, reference, access))),
    );
  add('show', 'a policy as it is written; without one, what a start puts in force', SHOW)
    .argument('[policy]', 'file, name or id')
    .action((reference: string | undefined, flags: GlobalFlags) =>
      run(flags, (context) => withAccess(context, (access) => show(context, reference, access))),
    );
  add('list', 'the policies that are shipped, and those that the store holds', LIST).action((flags: GlobalFlags) =>
    run(flags, (context) => withAccess(context, (access) => list(context, access))),
  );
  add('diff', 'what each code would do under two policies, where they differ', DIFF)
    .argument('<a>', 'file, name or id')
    .argument('<b>', 'file, name or id')
    .action((a: string, b: string, flags: GlobalFlags) =>
      run(flags, (context) => withAccess(context, (access) => diff(context, [a, b], access))),
    );
  add('apply', 'put a policy in force from now on', APPLY)
    .argument('<policy>', 'file, name or id')
    .action((reference: string, flags: GlobalFlags) =>
      run(flags, (context) => withAccess(context, (access) => apply(context, reference, access))),
    );
  add('try', 'what a policy would have made of the decisions of a run; changes nothing', TRY)
    .argument('<policy>', 'file, name or id')
    .requiredOption('--run <id>', 'the run')
    .action((reference: string, flags: GlobalFlags & { run: string }) =>
      run(flags, (context) => withAccess(context, (access) => tryOn(context, reference, flags.run, access))),
    );
}

const CHECK = `
Example:
  $ rollstream policy check my-policy.yaml`;
const SHOW = `
Example:
  $ rollstream policy show dapo > my-policy.yaml
  $ rollstream policy show 3f2a91c07be4 --data rollstream-example`;
const LIST = `
Example:
  $ rollstream policy list`;
const DIFF = `
Example:
  $ rollstream policy diff default strict`;
const APPLY = `
It is kept in the store and written into each partition of the log: whatever closes behind that is decided by it, also after a
restart. Refused while policy_file is set, which the next start would go back to.

Example:
  $ rollstream policy try my-policy.yaml --run lr3e-6
  $ rollstream policy apply my-policy.yaml`;
const TRY = `
By the facts of each decision, as the store holds them: by code, disposition and reason, with how many and one of them. What it
cannot know (advantages, groups, staleness) it says.

Example:
  $ rollstream policy try strict --run files-events --data rollstream-example`;

type Opened = () => Promise<Access>;

/** The data is opened when it is first asked for: two files are compared without any. */
async function withAccess(context: CommandContext, body: (access: Opened) => Promise<number>): Promise<number> {
  let opened: Promise<Access> | null = null;
  try {
    return await body(() => {
      opened ??= openAccess(context);
      return opened;
    });
  } finally {
    await (opened as Promise<Access> | null)?.then((access) => access.close()).catch(() => undefined);
  }
}

function find(reference: string, { io }: CommandContext, access: Opened): Promise<DocumentText> {
  return findPolicy(reference, { cwd: io.cwd, access });
}

async function readTaxonomyOf({ config }: CommandContext) {
  return mustRead(await taxonomyText(config.lanes), readTaxonomy).value;
}

async function check(context: CommandContext, reference: string, access: Opened): Promise<number> {
  const document = await find(reference, context, access);
  const read = readDocument(document, readPolicy);
  const faults: readonly DocumentFault[] =
    'value' in read ? read.faultsOf(policyAgainstTaxonomy(read.value, await readTaxonomyOf(context))) : read;
  const name = 'value' in read ? read.value.name : null;
  const answer = { ok: faults.length === 0, policy_id: documentIdOf(document.text), name, problems: faults };
  const text =
    faults.length === 0
      ? `ok: ${visible(name ?? '')} ${answer.policy_id}\n`
      : faults.map(({ message }) => `${visible(message)}\n`).join('');
  await context.out.write(context.flags.json === true ? `${JSON.stringify(answer)}\n` : text);
  return faults.length === 0 ? 0 : 1;
}

async function show(context: CommandContext, reference: string | undefined, access: Opened): Promise<number> {
  const document = reference === undefined ? await inForce(context, access) : await find(reference, context, access);
  const { value, plain } = mustRead(document, readPolicy);
  if (context.flags.json !== true) context.say(`# ${visible(value.name)} ${value.id}, ${visible(document.where)}`);
  const answer = { policy_id: value.id, name: value.name, where: document.where, policy: plain };
  await context.out.write(context.flags.json === true ? `${JSON.stringify(answer)}\n` : document.text);
  return 0;
}

/** policy_file; else what was applied last; else the default. */
async function inForce({ config }: CommandContext, access: Opened): Promise<DocumentText> {
  const query = async <Row extends object>(sql: string, params = {}): Promise<Row[]> => {
    const opened = await access().catch(noneWithoutData);
    return opened === null ? [] : rowsOf<Row>(opened, sql, params);
  };
  return configuredPolicy({ query }, config.lanes);
}

async function list(context: CommandContext, access: Opened): Promise<number> {
  const policies = await listPolicies(await access().catch(noneWithoutData));
  await context.out.write(
    context.flags.json === true ? `${JSON.stringify({ policies })}\n` : listText(policies, context.paint),
  );
  return 0;
}

/** What is shipped can be listed before there is any data. */
function noneWithoutData(error: unknown): null {
  if (error instanceof RollstreamError && error.code === 'RS_CONFIG' && error.facts.field === 'data') return null;
  throw error;
}

async function diff(context: CommandContext, references: readonly [string, string], access: Opened): Promise<number> {
  const taxonomy = await taxonomyText(context.config.lanes);
  const a = refuseMismatch(await find(references[0], context, access), taxonomy);
  const b = refuseMismatch(await find(references[1], context, access), taxonomy);
  const places = [...scopePlaces(a.plain), ...scopePlaces(b.plain)];
  const differences = diffPolicies(a.value, b.value, await readTaxonomyOf(context), places);
  await context.out.write(
    context.flags.json === true ? `${JSON.stringify(differences)}\n` : diffText(differences, context.paint),
  );
  return 0;
}

async function apply(context: CommandContext, reference: string, access: Opened): Promise<number> {
  const document = await find(reference, context, access);
  const applied = await (await access()).applyPolicy(document);
  const { name, policy_id, partitions, before } = applied;
  const was = before === policy_id ? 'it was in force before' : `before: ${before}`;
  const count = partitions === 1 ? '1 partition' : `${partitions} partitions`;
  await context.out.write(
    context.flags.json === true
      ? `${JSON.stringify(applied)}\n`
      : `${visible(name)} ${policy_id} is in force from here on, in ${count} (${was})\n`,
  );
  return 0;
}

async function tryOn(context: CommandContext, reference: string, runId: string, opened: Opened): Promise<number> {
  const taxonomy = await taxonomyText(context.config.lanes);
  const { value: policy } = refuseMismatch(await find(reference, context, opened), taxonomy);
  const access = await opened();
  const policyOf = async (id: string) => mustRead(await findPolicy(id, { cwd: '', access: opened }), readPolicy).value;
  const tried = await tryPolicy(policy, runId, { access, policyOf });
  await context.out.write(context.flags.json === true ? `${JSON.stringify(tried)}\n` : triedText(tried, context.paint));
  return 0;
}
