import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { readPolicy } from '../../processors/decide/policy-schema.ts';
import type { GateRule } from '../../processors/model/gate.ts';
import type { Policy } from '../../processors/model/policy.ts';
import { type EngineSettings, openAuditEngine } from '../audit/audit-engine.ts';
import { auditFiles } from '../audit/audit-files.ts';
import { createAuditIntake } from '../audit/audit-intake.ts';
import type { AuditOutcome, GivenTokenizer } from '../audit/audit-outcome.ts';
import { createTally } from '../audit/audit-tally.ts';
import { createLocalRunner } from '../audit/block-runner.ts';
import { classNames } from '../audit/class-words.ts';
import { NAMED_RATES, readFailOn } from '../audit/fail-on.ts';
import { gateVerdict } from '../audit/gate-verdict.ts';
import { auditHtml } from '../audit/report/html.ts';
import { createJsonReport } from '../audit/report/json.ts';
import { createJunitReport } from '../audit/report/junit.ts';
import { openReportFile, type ReportFile } from '../audit/report/report-file.ts';
import { auditText } from '../audit/report/text.ts';
import { createRuledFindings } from '../audit/ruled-findings.ts';
import { createWorkerRunner } from '../audit/worker-runner.ts';
import { RollstreamError } from '../errors.ts';
import type { ImportOptions } from '../ingest/import-files.ts';
import { inputFiles } from '../ingest/input-files.ts';
import { refuseMismatch, taxonomyText } from '../lanes/documents.ts';
import { type DocumentText, mustRead, readDocumentFile } from '../lanes/read-document.ts';
import { policyFileOf, shippedPolicyFile } from '../policies/shipped-policies.ts';
import { readTokenizerFolder } from '../tokenizers/read-tokenizer-folder.ts';
import type { AuditFlags } from './commands/audit.ts';
import type { CommandContext } from './context.ts';
import { createProgress } from './progress.ts';
import { visible } from './table.ts';

/** More threads than this wait for the disk. */
const MOST_THREADS = 8;

/** Audits the files, writes the reports and answers with the exit code. */
export async function runAudit(
  paths: readonly string[],
  flags: AuditFlags,
  context: CommandContext,
  stopped: AbortSignal,
): Promise<number> {
  const { io, config, out, paint } = context;
  // Before anything is opened or written: a slip must cost nothing.
  if (
    flags.junit !== undefined &&
    flags.html !== undefined &&
    resolve(io.cwd, flags.junit) === resolve(io.cwd, flags.html)
  )
    throw new RollstreamError('RS_USAGE', '--junit and --html: each report needs a file of its own');
  const inputs = (await inputFiles(paths)).map(({ path }) => path);
  const taxonomy = await taxonomyText(config.lanes);
  const policy = await policyOf(flags, context, taxonomy);
  const ruleOf = limitsOf(flags, policy);
  const ruled = createRuledFindings(policy.findings);
  const tokenizers = await tokenizersOf(flags.tokenizer ?? [], io.cwd);
  const sample = flags.sample === undefined ? null : { size: flags.sample, seed: flags.seed ?? '0' };
  const settings: EngineSettings = {
    taxonomy,
    reorderEvents: config.lanes.reorderEvents,
    tokenizerFolders: tokenizers.map(({ folder }) => folder),
    sample,
  };
  const names = [...new Set([...NAMED_RATES, ...classNames()])];
  const tally = createTally((runId) => ruleOf(runId).limits.keys(), names);
  const json = context.flags.json === true ? createJsonReport((text) => out.write(text)) : null;
  const htmlFile = await reportFileOf(flags.html, io.cwd, inputs);
  const junitFile = await reportFileOf(flags.junit, io.cwd, inputs).catch(async (error: unknown) => {
    await htmlFile?.discard();
    throw error;
  });
  const junit = junitFile === null ? null : createJunitReport(junitFile);
  const progress = createProgress(io, context.flags.quiet === true, 'auditing');
  const intake = createAuditIntake({
    sample,
    message: (text) => {
      progress.stop();
      context.warn(visible(text));
    },
    async attempt(report, file) {
      tally.add(report, file);
      ruled.add(report);
      await json?.attempt(report, file);
      await junit?.attempt(report);
    },
  });
  try {
    const openRunner = async (isMuch: boolean) =>
      isMuch
        ? createWorkerRunner(settings, Math.min(MOST_THREADS, availableParallelism()))
        : createLocalRunner(await openAuditEngine(settings));
    await auditFiles(paths, mappingOf(flags), {
      intake,
      openRunner,
      progress: progress.update,
      stdin: io.stdin,
      stopped,
    });
    await junit?.end();
    progress.stop();
    const counted = tally.tally();
    const counts = intake.counts();
    // A sample that passed nothing over is no sample.
    const gate = gateVerdict(counted, { ruleOf, names, census: sample === null || counts.passedOver === 0 });
    const outcome: AuditOutcome = {
      ...{ tally: counted, gate, counts, tokenizers, sample },
      policy: { name: policy.name, findings: ruled.list() },
    };
    await htmlFile?.handle.writeFile(auditHtml(outcome));
    await junitFile?.keep();
    await htmlFile?.keep();
    await (json === null ? out.write(auditText(outcome, paint)) : json.end(outcome));
    if (gate.verdict === 'hold' || gate.verdict === 'quarantine') return 1;
    return counts.refused > 0 || gate.judged === 0 ? 4 : 0;
  } catch (error) {
    await junitFile?.discard();
    await htmlFile?.discard();
    if (stopped.aborted)
      throw new RollstreamError('RS_INTERRUPTED', 'interrupted; nothing is reported', { cause: error });
    throw error;
  } finally {
    progress.stop();
  }
}

/** The policy that is asked for, else the configured one, else the shipped default. */
async function policyOf(flags: AuditFlags, { io, config }: CommandContext, taxonomy: DocumentText): Promise<Policy> {
  if (flags.policy === undefined)
    return mustRead(await readDocumentFile(config.lanes.policyFile ?? shippedPolicyFile('default')), readPolicy).value;
  return refuseMismatch(await readDocumentFile(policyFileOf(io.cwd, flags.policy)), taxonomy).value;
}

/** Limits of a run: of the policy; with --fail-on those too, and without --policy those alone. */
function limitsOf(flags: AuditFlags, policy: Policy): (runId: string) => GateRule {
  const asked = (flags.failOn ?? []).map(readFailOn);
  const isAlone = flags.policy === undefined && asked.length > 0;
  const known = new Map<string, GateRule>();
  return (runId) => {
    const made = known.get(runId);
    if (made !== undefined) return made;
    const { gate } = policy.scopeOf(runId, '');
    const rule = { ...gate, limits: new Map([...(isAlone ? [] : gate.limits), ...asked]) };
    known.set(runId, rule);
    return rule;
  };
}

/** Read here as well, so that a wrong folder is told before files are read. */
async function tokenizersOf(folders: readonly string[], cwd: string): Promise<GivenTokenizer[]> {
  const given: GivenTokenizer[] = [];
  for (const folder of folders) {
    const { sha256 } = await readTokenizerFolder(resolve(cwd, folder));
    given.push({ folder: resolve(cwd, folder), sha256 });
  }
  return given;
}

function mappingOf({ format, run, env, epoch }: AuditFlags): ImportOptions {
  return {
    format,
    ...(run === undefined ? {} : { runId: run }),
    ...(env === undefined ? {} : { env }),
    ...(epoch === undefined ? {} : { epoch }),
  };
}

async function reportFileOf(
  path: string | undefined,
  cwd: string,
  inputs: readonly string[],
): Promise<ReportFile | null> {
  return path === undefined ? null : openReportFile(resolve(cwd, path), inputs);
}
