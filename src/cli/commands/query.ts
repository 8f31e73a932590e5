import { type Command, Option } from 'commander';
import type { Access } from '../../access/access.ts';
import { askedWith, type NamedParam, namedQueries } from '../../access/named-queries.ts';
import { openAccess } from '../../access/open-access.ts';
import { jsonArrayOf, QUERY_FORMATS, type QueryFormat, rowsFormatOf } from '../../access/query-rows.ts';
import type { QueryParams } from '../../clickhouse/port.ts';
import { suggestion } from '../../config/nearest.ts';
import { RollstreamError } from '../../errors.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { parseCsv } from '../parse-csv.ts';
import { drawTable } from '../table.ts';

const EXAMPLE = `
Tables: rollstream.decisions, attempts, steps, trajectories, rewards, verdicts, … A table that is written again and again is
read with FINAL, and holds what replays decided, too; live_decisions and the like have what was decided live, and count it once.
Without --format: a table on a terminal, else JSON Lines.

Example:
  $ rollstream query "select category, count() n from rollstream.live_decisions group by category order by n desc"
  $ rollstream query --list`;

interface QueryFlags extends GlobalFlags {
  readonly named?: string;
  readonly param: QueryParams;
  readonly format?: QueryFormat;
  readonly list?: boolean;
}

export function addQuery(program: Command, run: Run): void {
  const command = program
    .command('query')
    .description('SQL on the store, read-only')
    .argument('[sql]', 'one SELECT statement')
    .option('--named <name>', 'a query that is shipped')
    .option('--param <name=value>', 'value of {name:Type} in the SQL; may be repeated', addParam, {})
    .addOption(new Option('--format <format>', 'how it prints').choices(QUERY_FORMATS))
    .option('--list', 'list the queries that are shipped')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((sql: string | undefined, flags: QueryFlags) =>
    run(flags, async (context) => {
      if (flags.list === true) return listQueries(context);
      const { statement, params } = statementOf(sql, flags);
      const access = await openAccess(context);
      try {
        await context.out.write(await answer(access, statement, params, flags, context));
      } finally {
        await access.close();
      }
      return 0;
    }),
  );
}

async function answer(
  access: Access,
  sql: string,
  params: QueryParams,
  flags: QueryFlags,
  context: CommandContext,
): Promise<string> {
  const preset = context.io.stdoutIsTerminal ? 'table' : 'jsonl';
  const format = flags.format ?? (context.flags.json === true ? 'json' : preset);
  const text = await access.query(sql, rowsFormatOf(format), params);
  if (format === 'json') return jsonArrayOf(text);
  if (format !== 'table') return text;
  const [head = [], ...rows] = parseCsv(text);
  return drawTable(
    head.map((name) => name ?? 'null'),
    rows,
    context.paint,
  );
}

interface Statement {
  readonly statement: string;
  readonly params: QueryParams;
}

function statementOf(sql: string | undefined, { named, param }: QueryFlags): Statement {
  if (sql !== undefined && named === undefined) return { statement: sql, params: param };
  if (sql !== undefined) throw new RollstreamError('RS_USAGE', 'query: give SQL or --named, not both');
  if (named === undefined) throw new RollstreamError('RS_USAGE', 'query: give SQL, or --named NAME (see --list)');
  const queries = namedQueries();
  const found = queries.find(({ name }) => name === named);
  if (found !== undefined) return { statement: found.sql, params: askedWith(found, param) };
  const names = queries.map(({ name }) => name);
  throw new RollstreamError('RS_USAGE', `no query is named ${named}${suggestion(named, names)}; see --list`);
}

async function listQueries(context: CommandContext): Promise<number> {
  const queries = namedQueries();
  const paramOf = ({ name, preset }: NamedParam): string =>
    preset === null || preset === '' ? name : `${name}=${preset}`;
  await context.out.write(
    context.flags.json === true
      ? `${JSON.stringify(queries.map(({ sql: _, ...shown }) => shown))}\n`
      : drawTable(
          ['name', 'parameters', 'answers'],
          queries.map(({ name, params, question }) => [name, params.map(paramOf).join(', '), question]),
          context.paint,
        ),
  );
  return 0;
}

function addParam(text: string, given: QueryParams): QueryParams {
  const at = text.indexOf('=');
  if (at <= 0) throw new RollstreamError('RS_USAGE', `--param ${text}: write name=value`);
  return { ...given, [text.slice(0, at)]: text.slice(at + 1) };
}
