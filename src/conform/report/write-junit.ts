import { createJunitSuite, type JunitCase } from '../../audit/report/junit-suite.ts';
import type { ReportFile } from '../../audit/report/report-file.ts';
import type { ConformReport } from './conform-report.ts';
import type { CaseReport } from './judge-case.ts';
import { evidenceText, foremost, judgementText } from './report-text.ts';
import type { Judgement } from './verdict.ts';

/** A test case is a rollout of a task; what was laundered besides its subject, or that nothing was asked, is a case of its own. */
export async function writeJunit(
  { cases, nothingAsked }: ConformReport,
  file: Pick<ReportFile, 'handle'>,
): Promise<void> {
  const suite = createJunitSuite(file, 'rollstream conform');
  if (nothingAsked !== null) {
    const name = 'tasks were asked for';
    await suite.case({
      className: 'conform',
      name,
      result: 'fail',
      type: 'nothing_asked',
      message: nothingAsked,
      text: '',
    });
  }
  for (const one of cases) {
    await suite.case(caseOf(one));
    for (const besides of one.besides)
      await suite.case(failed(one, `${one.scenario}#${one.task} ${besides.check}`, besides));
  }
  await suite.end();
}

function caseOf(one: CaseReport): JunitCase {
  const name = `${one.scenario}#${one.task}`;
  const place = { className: `conform.${one.scenario}`, name };
  const worst = foremost(one);
  const text = one.judgements.map(told).join('\n\n');
  if (one.verdict === 'laundered' && worst !== null) return failed(one, name, worst, text);
  if (one.verdict === 'faithful') return { ...place, result: 'pass', text };
  return { ...place, result: 'skipped', message: `not observable: ${worst?.detail ?? 'it did not come up'}`, text };
}

function failed({ scenario }: CaseReport, name: string, judgement: Judgement, text = told(judgement)): JunitCase {
  const { class: as, check, detail } = judgement;
  return { className: `conform.${scenario}`, name, result: 'fail', type: as ?? check, message: detail, text };
}

function told(judgement: Judgement): string {
  return [judgementText(judgement), ...judgement.evidence.map((one) => `  ${evidenceText(one)}`)].join('\n');
}
