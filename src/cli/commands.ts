import type { Command, Option } from 'commander';
import type { Run } from './context.ts';

type AddCommand = (program: Command, run: Run) => void;

/** By the word that calls it, in the order of the help. Loaded when it is called: all of them take longer than most have to do. */
export const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
  up: async () => (await import('./commands/up.ts')).addUp,
  import: async () => (await import('./commands/import.ts')).addImport,
  verify: async () => (await import('./commands/verify.ts')).addVerify,
  audit: async () => (await import('./commands/audit.ts')).addAudit,
  ready: async () => (await import('./commands/ready.ts')).addReady,
  export: async () => (await import('./commands/export.ts')).addExport,
  accounting: async () => (await import('./commands/accounting.ts')).addAccounting,
  query: async () => (await import('./commands/query.ts')).addQuery,
  explain: async () => (await import('./commands/explain.ts')).addExplain,
  blame: async () => (await import('./commands/blame.ts')).addBlame,
  taxonomy: async () => (await import('./commands/taxonomy.ts')).addTaxonomy,
  tokenizer: async () => (await import('./commands/tokenizer.ts')).addTokenizer,
  tokens: async () => (await import('./commands/tokens.ts')).addTokens,
  policy: async () => (await import('./commands/policy.ts')).addPolicy,
  runs: async () => (await import('./commands/runs.ts')).addRuns,
  gate: async () => (await import('./commands/gate.ts')).addGate,
  replay: async () => (await import('./commands/replay.ts')).addReplay,
  'dead-letter': async () => (await import('./commands/dead-letter.ts')).addDeadLetter,
  schemas: async () => (await import('./commands/schemas.ts')).addSchemas,
  simulate: async () => (await import('./commands/simulate.ts')).addSimulate,
  topics: async () => (await import('./commands/topics.ts')).addTopics,
  'accept-loss': async () => (await import('./commands/accept-loss.ts')).addAcceptLoss,
  doctor: async () => (await import('./commands/doctor.ts')).addDoctor,
  clickhouse: async () => (await import('./commands/clickhouse.ts')).addClickhouse,
  proxy: async () => (await import('./commands/proxy.ts')).addProxy,
  conform: async () => (await import('./commands/conform.ts')).addConform,
};

/** The command that is called; all of them where none is, as for the help; none for the version. */
export function commandsOf(argv: readonly string[], globalFlags: readonly Option[]): Promise<AddCommand[]> {
  const word = firstOperand(argv, globalFlags);
  const called = word !== undefined && Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  const all = word === undefined && argv.includes('--version') ? [] : Object.values(COMMANDS);
  const loads = called === undefined ? all : [called];
  return Promise.all(loads.map((load) => load()));
}

function firstOperand(argv: readonly string[], flags: readonly Option[]): string | undefined {
  const isValue = (before: string | undefined): boolean =>
    before !== undefined && flags.some(({ required, long }) => required && long === before);
  return argv.find((word, at) => !word.startsWith('-') && !isValue(argv[at - 1]));
}
