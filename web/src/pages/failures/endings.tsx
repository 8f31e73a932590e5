import { named, numberOf, textOf } from '../../api/rows.ts';
import { finishWord } from '../../parts/finish-word.ts';
import { count, percent } from '../../parts/format.ts';
import { Panel } from '../../parts/panel.tsx';
import { type Column, Table, Value } from '../../parts/table.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { failuresHref, NONE } from './filters.ts';
import { Example } from './worst-tasks.tsx';

const RUN: Column = { name: 'run_id', title: 'run' };

function columnsFor(run: string, columns: readonly Column[]): Column[] {
  return run === '' ? [RUN, ...columns] : [...columns];
}

export function TimeOuts({ run }: { readonly run: string }) {
  return (
    <Panel
      title="Time-outs"
      note="Whose time it was, and what became of them. Shares are of the wall clock; infra: engine queue, sandbox, rate limits and weight updates, not waits for tools; policy: its own sampling. A dash: the events do not say."
      source={named('timeouts', { run })}
      empty="No loop ended by a time-out."
      isWide
    >
      {(rows) => <Table caption="Attempts that a time-out ended" columns={columnsFor(run, TIME_OUTS)} rows={rows} />}
    </Panel>
  );
}

const TIME_OUTS: readonly Column[] = [
  {
    name: 'reason_code',
    title: 'time-out',
    draw: (row) => {
      const [env, code] = [textOf(row, 'env_name') || NONE, textOf(row, 'reason_code')];
      const whose = textOf(row, 'attribution') || NONE;
      return (
        <a href={failuresHref(textOf(row, 'run_id'), { env, code, whose, outcome: 'all' })}>
          <UntrustedText text={code} />
        </a>
      );
    },
  },
  { name: 'attribution', title: 'whose', draw: (row) => textOf(row, 'attribution') || 'not given' },
  { name: 'env_name', title: 'environment' },
  { name: 'attempts', isNumber: true },
  {
    name: 'mean_infra_share',
    title: 'infra',
    isNumber: true,
    draw: (row) => percent(numberOf(row, 'mean_infra_share')),
  },
  {
    name: 'mean_policy_share',
    title: 'policy',
    isNumber: true,
    draw: (row) => percent(numberOf(row, 'mean_policy_share')),
  },
  ...['trained', 'masked', 'dropped', 'retried', 'quarantined'].map((name) => ({ name, isNumber: true })),
];

export function Contradictions({ run }: { readonly run: string }) {
  return (
    <Panel
      title="Contradictions"
      note="Why the loop ended, what the engine said last and what a verifier said are three facts; here two of them exclude each other."
      source={named('contradictions', { run })}
      empty="No attempt contradicts itself."
      isWide
    >
      {(rows) => (
        <Table caption="Facts that exclude each other" columns={columnsFor(run, CONTRADICTIONS)} rows={rows} />
      )}
    </Panel>
  );
}

const CONTRADICTIONS: readonly Column[] = [
  {
    name: 'conflict',
    title: 'contradiction',
    draw: (row) => (
      <a href={failuresHref(textOf(row, 'run_id'), { conflict: textOf(row, 'conflict'), outcome: 'all' })}>
        <UntrustedText text={textOf(row, 'conflict')} />
      </a>
    ),
  },
  { name: 'reason_code', title: 'loop ended by' },
  {
    name: 'finish_reason',
    title: 'engine said last',
    draw: (row) => <Value value={row.finish_reason === null ? null : finishWord(textOf(row, 'finish_reason'))} />,
  },
  { name: 'verifier_status', title: 'verifier' },
  { name: 'attempts', isNumber: true },
  {
    name: 'example_rollout',
    title: 'such as',
    draw: (row) => <Example run={textOf(row, 'run_id')} rollout={textOf(row, 'example_rollout')} />,
  },
];

export function UnknownReasons({ run }: { readonly run: string }) {
  return (
    <Panel
      title="Unknown reasons"
      note="Raw reasons that the taxonomy does not map; the nearest code is never taken. docs/taxonomy.md says how to add one."
      source={named('unknown_reasons', { run })}
      empty="The taxonomy knows every reason."
      isWide
    >
      {(rows) => <Table caption="Raw reasons without a code" columns={columnsFor(run, UNKNOWN)} rows={rows} />}
    </Panel>
  );
}

const UNKNOWN: readonly Column[] = [
  {
    name: 'raw',
    title: 'raw reason',
    draw: (row) => (
      <a href={failuresHref(textOf(row, 'run_id'), { raw: textOf(row, 'raw') || NONE, outcome: 'all' })}>
        {row.raw === '' ? 'no reason given' : <UntrustedText text={textOf(row, 'raw')} />}
      </a>
    ),
  },
  { name: 'system' },
  { name: 'attempts', isNumber: true, draw: (row) => count(numberOf(row, 'attempts')) },
  { name: 'rate', title: 'share of the run', isNumber: true, draw: (row) => percent(numberOf(row, 'rate')) },
  {
    name: 'example',
    title: 'such as',
    draw: (row) => <Example run={textOf(row, 'run_id')} rollout={textOf(row, 'example')} />,
  },
];
