import { named, type Row, textOf, useRows } from '../../api/rows.ts';
import type { PageProps } from '../../pages.ts';
import { Chart } from '../../parts/chart.tsx';
import { Panel } from '../../parts/panel.tsx';
import { PlaceSelect } from '../../parts/place-select.tsx';
import { goWith } from '../../state/place.ts';
import './audits.css';
import { driftOverTime } from './drift-over-time.ts';
import { GatePanel } from './gate-panel.tsx';
import { Offender } from './offender.tsx';
import { RepairsTable } from './repairs-table.tsx';
import { ResultsTable } from './results-table.tsx';
import { WhyNotAuditable } from './why-not-auditable.tsx';

const NO_ROLLOUT = 'No rollout was decided yet: npx rollstream import PATH';
const SHOWN = 50;

/** Rates with limits, what was found over time, and the findings themselves beside what should have been. */
export function AuditsPage({ run, params }: PageProps) {
  const audit = params.audit ?? '';
  const found = params.class ?? '';
  const drift = useRows(named('drift_rates', { run })).value ?? [];
  const results = useRows(named('audit_results', { run })).value ?? [];
  const isShown = (row: Row): boolean =>
    (audit === '' || textOf(row, 'audit') === audit) && (found === '' || textOf(row, 'class') === found);
  return (
    <>
      <h1>Audits</h1>
      <div class="choices">
        <PlaceSelect label="audit" param="audit" value={audit} options={valuesOf(results, 'audit')} all="all audits" />
        <PlaceSelect
          label="finding"
          param="class"
          value={found}
          options={valuesOf(
            drift.filter((row) => audit === '' || textOf(row, 'audit') === audit),
            'class',
          )}
          all="all findings"
        />
        {audit === '' && found === '' ? null : (
          <button type="button" onClick={() => goWith({ audit: null, class: null })}>
            show all
          </button>
        )}
      </div>
      <div class="cards">
        <GatePanel run={run} />
        <Panel
          title="Results"
          note="What an audit could not look at is no pass: it is not auditable, and out of the rate."
          source={named('audit_results', { run })}
          empty={NO_ROLLOUT}
          isWide
        >
          {(rows) => (
            <ResultsTable
              rows={rows.filter((row) => audit === '' || textOf(row, 'audit') === audit)}
              withRun={run === ''}
            />
          )}
        </Panel>
        <WhyNotAuditable run={run} audit={audit} />
        <Panel
          title="Findings over time"
          note="Share of the attempts that the audit could look at, by the hour of their end; pick a line to filter by it."
          source={named('drift_rates', { run })}
          empty={results.length === 0 ? NO_ROLLOUT : 'The audits found nothing.'}
        >
          {(rows) => <Drift rows={rows.filter(isShown)} />}
        </Panel>
        <Panel
          title="Calls by tool"
          note="Which tools are called in ways that the harness repairs, loses or misreads; a pick shows the findings."
          source={named('repairs_by_tool', { run })}
          empty="No rollout has called a tool."
          isWide={run === ''}
        >
          {(rows) => <RepairsTable rows={rows} withRun={run === ''} />}
        </Panel>
        <Panel
          title="Worst offenders"
          note={`The first ${SHOWN} findings, those that fail first. A rollout's name leads to the place in it.`}
          source={named('audit_offenders', { run, audit, class: found, limit: SHOWN })}
          empty={results.length === 0 ? NO_ROLLOUT : 'The audits found nothing of this kind.'}
          isWide
        >
          {(rows) => (
            <>
              <p class="faint">
                {rows.length < SHOWN
                  ? `All ${rows.length} of them.`
                  : `${SHOWN} are shown, and there may be more: pick an audit, a finding or a run.`}
              </p>
              {rows.map((row, index) => (
                <Offender key={index} row={row} />
              ))}
            </>
          )}
        </Panel>
      </div>
    </>
  );
}

function Drift({ rows }: { readonly rows: readonly Row[] }) {
  if (rows.length === 0) return <p class="empty">The audits found nothing of this kind.</p>;
  const { labels, series } = driftOverTime(rows);
  return (
    <Chart
      kind={labels.length > 2 ? 'line' : 'bar'}
      label="Share of attempts with each class of findings, by hour"
      labels={labels}
      series={series}
      unit="%"
      onPick={(_hour, name) => {
        const [audit = '', ...found] = name.split(': ');
        goWith({ audit, class: found.join(': ') });
      }}
    />
  );
}

function valuesOf(rows: readonly Row[], name: string): string[] {
  return [...new Set(rows.map((row) => textOf(row, name)))].sort();
}
