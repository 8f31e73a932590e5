import type { ReencodeCount } from '../../processors/audit/deep-audits.ts';
import { createWindowCounter, type WindowCounter } from '../../processors/gate/window-counter.ts';
import { AUDIT_NAMES, type AuditName, type AuditResult, type Finding } from '../../processors/model/audit-summary.ts';
import type { AttemptReport } from './attempt-report.ts';
import type { RerenderCount } from './rerender-count.ts';

/** One rollout that a class was found in. */
export interface Example {
  readonly runId: string;
  readonly rolloutId: string;
  readonly attempt: number;
  readonly file: string;
  readonly line: number | null;
  readonly finding: Finding;
  /** Findings of the class in this rollout. */
  readonly count: number;
}

export interface ClassTally {
  readonly audit: AuditName;
  readonly class: string;
  /** The worse, where it was found with both. */
  severity: Finding['severity'];
  trajectories: number;
  findings: number;
  /** The worst, bounded. */
  readonly examples: Example[];
}

/** All that was counted over the trajectories: bounded, whatever there is of them. */
export interface AuditTally {
  readonly trajectories: number;
  readonly modelCalls: number;
  readonly sampledTokens: number;
  /** Their starts name no tokenizer: the one that was given is taken on the caller's word. */
  readonly withoutTokenizer: number;
  readonly audits: Readonly<Record<AuditName, Readonly<Record<AuditResult, number>>>>;
  /** By audit: what was missing, how often; the first kinds of it, and the rest under ''. */
  readonly missing: Readonly<Record<AuditName, ReadonlyMap<string, number>>>;
  /** Worst first. */
  readonly classes: readonly ClassTally[];
  /** By the reason that decided. */
  readonly endings: ReadonlyMap<string, Ending>;
  readonly reencode: ReencodeCount;
  /** Reasons are kinds, as in `missing`. */
  readonly rerender: Omit<RerenderCount, 'missing'> & { readonly missing: ReadonlyMap<string, number> };
  /** What a gate counts, by run. */
  readonly byRun: ReadonlyMap<string, WindowCounter>;
  readonly all: WindowCounter;
}

/** How rollouts ended, by the code of the taxonomy. */
export interface Ending {
  readonly category: string;
  trajectories: number;
  /** The first of them. */
  readonly rollouts: string[];
}

export interface TallyKeeper {
  add(report: AttemptReport, file: string): void;
  tally(): AuditTally;
}

const MOST_EXAMPLES = 20;
const MOST_MISSING = 20;

/** `limitsOf`: names that the gate of a run counts; `names`: those that are told of all. */
export function createTally(limitsOf: (runId: string) => Iterable<string>, names: Iterable<string>): TallyKeeper {
  const audits = byAudit(() => ({ pass: 0, warn: 0, fail: 0, not_auditable: 0, unknown: 0 }));
  const missing = byAudit(() => new Map<string, number>());
  const classes = new Map<string, ClassTally>();
  const endings = new Map<string, Ending>();
  const byRun = new Map<string, WindowCounter>();
  const all = createWindowCounter(names);
  const sums = { trajectories: 0, modelCalls: 0, sampledTokens: 0, withoutTokenizer: 0 };
  const reencode = { chunks: 0, drifted: 0, tokens: 0 };
  const rerender = { prompts: 0, rendered: 0, equal: 0, missing: new Map<string, number>() };

  function counterOf(runId: string): WindowCounter {
    const known = byRun.get(runId);
    if (known !== undefined) return known;
    const fresh = createWindowCounter(limitsOf(runId));
    byRun.set(runId, fresh);
    return fresh;
  }

  function addFindings(report: AttemptReport, file: string): void {
    const counts = new Map<string, { finding: Finding; count: number }>();
    for (const finding of report.findings) {
      const key = `${finding.audit}/${finding.class}`;
      const known = counts.get(key);
      if (known === undefined) counts.set(key, { finding, count: 1 });
      else {
        known.count++;
        if (isWorse(finding, known.finding)) known.finding = finding;
      }
    }
    const { runId, rolloutId, attempt, line } = report;
    for (const [key, { finding, count }] of counts) {
      const { audit, class: name, severity } = finding;
      const tally = classes.get(key) ?? {
        ...{ audit, class: name, severity, trajectories: 0, findings: 0, examples: [] },
      };
      classes.set(key, tally);
      tally.trajectories++;
      tally.findings += count;
      if (severity === 'fail') tally.severity = 'fail';
      keepWorst(tally.examples, { runId, rolloutId, attempt, file, line, finding, count });
    }
  }

  return {
    add(report, file) {
      sums.trajectories++;
      sums.modelCalls += report.modelCalls;
      sums.sampledTokens += report.sampledTokens;
      if (!report.namesTokenizer) sums.withoutTokenizer++;
      noteEnding(endings, report);
      for (const audit of AUDIT_NAMES) {
        audits[audit][report.summary[audit]]++;
        const lacked = report.missing[audit];
        if (lacked !== undefined) noteMissing(missing[audit], lacked);
      }
      if (report.reencode !== null) {
        reencode.chunks += report.reencode.chunks;
        reencode.drifted += report.reencode.drifted;
        reencode.tokens += report.reencode.tokens;
      }
      if (report.rerender !== null) {
        rerender.prompts += report.rerender.prompts;
        rerender.rendered += report.rerender.rendered;
        rerender.equal += report.rerender.equal;
        for (const [what, n] of Object.entries(report.rerender.missing)) noteMissing(rerender.missing, what, n);
      }
      addFindings(report, file);
      // A rollout without a model call has nothing that a gate could judge.
      if (report.modelCalls === 0) return;
      const alike = {
        trajectories: 1,
        isUnknown: report.category === 'unknown',
        results: report.summary,
        found: report.findings,
      };
      counterOf(report.runId).add(alike);
      all.add(alike);
    },
    tally: () => ({
      ...{ ...sums, audits, missing, endings, reencode, rerender, byRun, all },
      classes: [...classes.values()].sort(
        (a, b) =>
          Number(b.severity === 'fail') - Number(a.severity === 'fail') ||
          b.trajectories - a.trajectories ||
          (a.class < b.class ? -1 : 1),
      ),
    }),
  };
}

function noteEnding(endings: Map<string, Ending>, { code, category, rolloutId }: AttemptReport): void {
  const ending = endings.get(code) ?? { category, trajectories: 0, rollouts: [] };
  endings.set(code, ending);
  ending.trajectories++;
  if (ending.rollouts.length < MOST_EXAMPLES) ending.rollouts.push(rolloutId);
}

/** Numbers in it differ from rollout to rollout: the kind is what counts. */
function noteMissing(kinds: Map<string, number>, lacked: string, n = 1): void {
  const kind = lacked.replace(/\d+/g, 'N');
  const known = kinds.get(kind);
  if (known !== undefined || kinds.size < MOST_MISSING) kinds.set(kind, (known ?? 0) + n);
  else kinds.set('', (kinds.get('') ?? 0) + n);
}

/** What fails before what warns, then what can be shown. */
function isWorse(a: Finding, b: Finding): boolean {
  if (a.severity !== b.severity) return a.severity === 'fail';
  return a.evidence !== undefined && b.evidence === undefined;
}

function keepWorst(examples: Example[], example: Example): void {
  let at = examples.length;
  while (at > 0 && isWorseExample(example, examples[at - 1])) at--;
  if (at >= MOST_EXAMPLES) return;
  examples.splice(at, 0, example);
  examples.length = Math.min(examples.length, MOST_EXAMPLES);
}

function isWorseExample(a: Example, b: Example | undefined): boolean {
  if (b === undefined) return false;
  if (isWorse(a.finding, b.finding)) return true;
  return !isWorse(b.finding, a.finding) && a.count > b.count;
}

function byAudit<T>(of: () => T): Record<AuditName, T> {
  return {
    tokens: of(),
    template: of(),
    tools: of(),
    termination: of(),
    numbers: of(),
    wall: of(),
    reencode: of(),
  };
}
