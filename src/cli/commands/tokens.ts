import { type Command, InvalidArgumentError } from 'commander';
import { tokensFileOf } from '../../config/tokens-file-of.ts';
import { RollstreamError } from '../../errors.ts';
import { ROLES, type Role } from '../../server/auth/caller.ts';
import type { KeptToken } from '../../server/auth/token-file.ts';
import type { CommandContext, Run } from '../context.ts';
import { durationFlag } from '../duration-flag.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { drawTable } from '../table.ts';

const CREATE = `
Prints the token, once: it is kept as its SHA-256, and cannot be shown again. Servers know it within a second. While there is a token
file every request needs a token; what a role may do is in docs/tenants.md.

Example:
  $ rollstream tokens create --role producer --run math --name 'math workers' --expires 90d
  $ ROLLSTREAM_HTTP_TOKEN=$(rollstream tokens create --role reader) rollstream accounting`;
const LIST = `
What each token is for, and when it ends or has ended; never the token itself.

Example:
  $ rollstream tokens list`;
const REVOKE = `
Ends a token, and the sessions that signed in with it, within a second.

Example:
  $ rollstream tokens revoke 3f9a61c20b7d`;

interface CreateFlags extends GlobalFlags {
  readonly role: Role;
  readonly run?: readonly string[];
  readonly name?: string;
  readonly expires?: number;
}

/** `tokens create|list|revoke`: docs/tenants.md. */
export function addTokens(program: Command, run: Run): void {
  const tokens = program
    .command('tokens')
    .description('tokens with a role and runs: create, list, revoke')
    .helpCommand(false);
  addGlobalFlags(tokens.command('create').description('make a token and print it').addHelpText('after', CREATE))
    .requiredOption('--role <role>', ROLES.join(', '), roleFlag)
    .option('--run <id...>', 'only for these runs (default: all)')
    .option('--name <text>', 'for people: whose it is', '')
    .option('--expires <duration>', 'it ends after so long, such as 90d (default: never)', expiryFlag)
    .action((flags: CreateFlags) => run(flags, (context) => create(context, flags)));
  addGlobalFlags(tokens.command('list').description('what tokens there are').addHelpText('after', LIST)).action(
    (flags: GlobalFlags) => run(flags, list),
  );
  addGlobalFlags(tokens.command('revoke').description('end a token').addHelpText('after', REVOKE))
    .argument('<id>', 'as tokens list shows it')
    .action((id: string, flags: GlobalFlags) => run(flags, (context) => revoke(context, id)));
}

async function create(context: CommandContext, flags: CreateFlags): Promise<number> {
  const { role, name = '', run: runs = null, expires: expiresMs = null } = flags;
  if (runs?.includes('')) throw new RollstreamError('RS_USAGE', '--run: the name of a run is needed');
  const [path, { changeTokens }, { createToken }] = await withFile(context);
  const wish = { role, name, expiresMs, runs: runs === null ? null : [...new Set(runs)] };
  const { token, kept, isFirst } = await changeTokens(path, (file) => {
    const made = createToken(file, wish, context.io.now());
    return { file: made.file, result: { ...made.result, isFirst: file.tokens.length === 0 } };
  });
  await context.out.write(
    context.flags.json === true ? `${JSON.stringify({ token, ...shownOf(kept) })}\n` : `${token}\n`,
  );
  context.say(`token ${kept.id} (${role} of ${kept.runs?.join(', ') ?? 'all runs'}) in ${path}; it is not shown again`);
  if (isFirst)
    context.say('it is the first: from now on every request needs a token, also those of who worked without one');
  return 0;
}

async function list(context: CommandContext): Promise<number> {
  const { readTokenFile } = await import('../../server/auth/token-file.ts');
  const tokens = readTokenFile(fileOf(context))?.tokens ?? [];
  if (context.flags.json === true) {
    await context.out.write(`${JSON.stringify({ tokens: tokens.map(shownOf) })}\n`);
    return 0;
  }
  const rows = tokens.map(({ id, name, role, runs, created_at, expires_at, revoked_at }) => [
    ...[id, name, role, runs?.join(', ') ?? 'all', created_at],
    revoked_at === null ? endsText(expires_at, context.io.now()) : `revoked ${revoked_at}`,
  ]);
  if (rows.length > 0) await context.out.write(drawTable(HEAD, rows, context.paint));
  else context.say('there are no tokens');
  return 0;
}

const HEAD = ['id', 'name', 'role', 'runs', 'created', 'ends'];

async function revoke(context: CommandContext, id: string): Promise<number> {
  const [path, { changeTokens }, { revokeToken }] = await withFile(context);
  const kept = await changeTokens(path, (file) => revokeToken(file, id, context.io.now()));
  await context.out.write(
    context.flags.json === true ? `${JSON.stringify(shownOf(kept))}\n` : `${id} is revoked since ${kept.revoked_at}\n`,
  );
  return 0;
}

async function withFile(context: CommandContext) {
  const path = fileOf(context);
  const parts = await Promise.all([
    import('../../server/auth/change-tokens.ts'),
    import('../../server/auth/create-token.ts'),
  ]);
  return [path, ...parts] as const;
}

function fileOf({ config }: CommandContext): string {
  const path = tokensFileOf(config);
  if (path !== null) return path;
  throw new RollstreamError('RS_CONFIG', 'http.tokens_file: on Kafka there is no data folder, so it has to be named', {
    facts: { field: 'http.tokens_file' },
  });
}

/** Without the digest: nobody needs it. */
function shownOf({ sha256: _, ...shown }: KeptToken): Omit<KeptToken, 'sha256'> {
  return shown;
}

function endsText(expiresAt: string | null, nowMs: number): string {
  if (expiresAt === null) return 'never';
  return Date.parse(expiresAt) <= nowMs ? `expired ${expiresAt}` : expiresAt;
}

function roleFlag(text: string): Role {
  const role = ROLES.find((one) => one === text);
  if (role === undefined) throw new InvalidArgumentError(`one of ${ROLES.join(', ')} is needed`);
  return role;
}

const expiryFlag = durationFlag('--expires', { min: '1s', max: '3650d', preset: '90d' });
