import type { Command } from 'commander';
import type { Taxonomy } from '../../../processors/model/taxonomy.ts';
import { readTaxonomy } from '../../../processors/taxonomy/read-taxonomy.ts';
import { suggestion } from '../../config/nearest.ts';
import { RollstreamError } from '../../errors.ts';
import { taxonomyText } from '../../lanes/documents.ts';
import { mustRead } from '../../lanes/read-document.ts';
import { readYamlText } from '../../lanes/yaml-text.ts';
import { systemsOf, type TaxonomyAnswer, taxonomyAnswer } from '../../taxonomy/taxonomy-answer.ts';
import { taxonomyList } from '../../taxonomy/taxonomy-list.ts';
import type { CommandContext, Run } from '../context.ts';
import { addGlobalFlags, type GlobalFlags } from '../global-flags.ts';
import { drawTable } from '../table.ts';

const EXAMPLE = `
By the configured taxonomy_file, else the one that is shipped. Ends with 1 where the value is not mapped: such a rollout is
quarantined as unknown, and \`rollstream query --named unknown_reasons\` counts it.

Example:
  $ rollstream taxonomy "submitted (exit_cost)"
  $ rollstream taxonomy timeout --system strands-env --json
  $ rollstream taxonomy --list`;

interface TaxonomyFlags extends GlobalFlags {
  readonly system?: string;
  readonly list?: boolean;
}

/** The document in question, for whoever wants to see where an entry stands. */
interface Source {
  readonly taxonomy: Taxonomy;
  readonly file: string;
  lineOf(path: string): number | null;
}

export function addTaxonomy(program: Command, run: Run): void {
  const command = program
    .command('taxonomy')
    .description('what a raw reason why a loop ended is called here, and where that is written')
    .argument('[raw]', 'value as its source wrote it')
    .option('--system <name>', 'only as this system or engine uses it')
    .option('--list', 'all that is mapped')
    .addHelpText('after', EXAMPLE);
  addGlobalFlags(command).action((raw: string | undefined, flags: TaxonomyFlags) =>
    run(flags, async (context) => {
      const source = await sourceOf(context);
      const system = flags.system ?? null;
      const systems = systemsOf(source.taxonomy);
      if (system !== null && !systems.includes(system))
        throw new RollstreamError('RS_USAGE', `the taxonomy knows no system ${system}${suggestion(system, systems)}`);
      if (flags.list === true && raw === undefined) return list(context, source, system);
      if (flags.list === true || raw === undefined)
        throw new RollstreamError('RS_USAGE', 'taxonomy: give a raw value, or --list');
      return answer(context, source, taxonomyAnswer(source.taxonomy, raw, system));
    }),
  );
}

async function sourceOf({ config }: CommandContext): Promise<Source> {
  const document = await taxonomyText(config.lanes);
  const { value: taxonomy } = mustRead(document, readTaxonomy);
  const yaml = readYamlText(document.text);
  return { taxonomy, file: document.where, lineOf: (path) => ('value' in yaml ? yaml.lineOf(path) : null) };
}

async function answer(context: CommandContext, source: Source, found: TaxonomyAnswer): Promise<number> {
  const isKnown = found.mappings.length > 0 || found.engines.length > 0;
  const lined = <T extends { readonly path: string }>(entries: readonly T[]) =>
    entries.map((entry) => ({ ...entry, line: entry.path === '' ? null : source.lineOf(entry.path) }));
  const mappings = lined(found.mappings);
  const engines = lined(found.engines);
  if (context.flags.json === true) {
    const { raw, near } = found;
    await context.out.write(`${JSON.stringify({ raw, known: isKnown, mappings, engines, near, ...headOf(source) })}\n`);
    return isKnown ? 0 : 1;
  }
  const place = (line: number | null) => (line === null ? '' : `${source.file}:${line}`);
  if (mappings.length > 0)
    await context.out.write(
      drawTable(
        ['system', 'raw', 'code', 'category', 'by', 'where'],
        mappings.map(({ system, raw, code, category, by, entry, line }) => [
          ...[system, raw, code, category],
          ...[by === 'exact' || by === 'none' ? by : `${by} ${entry}`, place(line)],
        ]),
        context.paint,
      ),
    );
  if (engines.length > 0)
    await context.out.write(
      `${mappings.length > 0 ? '\n' : ''}${drawTable(
        ['engine', 'what it says of a call', 'where'],
        engines.map(({ engine, meaning, line }) => [engine, meaning, place(line)]),
        context.paint,
      )}`,
    );
  if (!isKnown) await context.out.write(unknownText(found));
  context.say(`taxonomy ${source.taxonomy.version}, ${source.taxonomy.id}`);
  return isKnown ? 0 : 1;
}

function unknownText({ raw, near }: TaxonomyAnswer): string {
  const lines = near.map(({ system, raw: other }) => `  ${other} (${system})\n`);
  const like = lines.length === 0 ? '' : `It looks like:\n${lines.join('')}`;
  return `${JSON.stringify(raw)} is not mapped: unknown, and quarantined.\n${like}`;
}

async function list(context: CommandContext, source: Source, system: string | null): Promise<number> {
  const { codes, engines } = taxonomyList(source.taxonomy, system);
  if (context.flags.json === true) {
    await context.out.write(`${JSON.stringify({ codes, engines, ...headOf(source) })}\n`);
    return 0;
  }
  const rows = codes.flatMap(({ code, category, values }) =>
    values.length === 0
      ? [[category, code, '', 'the pipeline’s own']]
      : values.map((value) => [category, code, value.system, value.raws.join(', ')]),
  );
  await context.out.write(drawTable(['category', 'code', 'system', 'raw values'], rows, context.paint));
  const words = engines.map(({ engine, meaning, words: said }) => [engine, meaning, said.join(', ')]);
  if (words.length > 0) await context.out.write(`\n${drawTable(['engine', 'meaning', 'words'], words, context.paint)}`);
  context.say(`taxonomy ${source.taxonomy.version}, ${source.taxonomy.id}`);
  return 0;
}

function headOf({ taxonomy, file }: Source): Record<string, unknown> {
  return { taxonomy: { id: taxonomy.id, version: taxonomy.version, file } };
}
