import { named, type Row, textOf } from '../../api/rows.ts';
import { colourOf } from '../../parts/colours.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';

const MOST_SHOWN = 12;

/** Which layer blocks, in a sentence for each environment and worker. */
export function BottleneckPanel({ run, isShown }: { readonly run: string; readonly isShown: (row: Row) => boolean }) {
  return (
    <Panel
      title="What rollouts wait for"
      source={named('bottleneck', { run })}
      empty="No rollout with times was decided yet: npx rollstream import PATH, of a source that keeps them."
      isWide
    >
      {(rows) => {
        const shown = rows.filter(isShown);
        return (
          <>
            <Sentences rows={shown.slice(0, MOST_SHOWN)} withRun={run === ''} />
            {shown.length <= MOST_SHOWN ? null : (
              <details>
                <summary>{shown.length - MOST_SHOWN} more</summary>
                <Sentences rows={shown.slice(MOST_SHOWN)} withRun={run === ''} />
              </details>
            )}
          </>
        );
      }}
    </Panel>
  );
}

function Sentences({ rows, withRun }: { readonly rows: readonly Row[]; readonly withRun: boolean }) {
  return (
    <ul class="blocks">
      {rows.map((row, index) => (
        <li key={index}>
          <span
            class="swatch"
            style={{ background: colourOf(COLOUR_OF[textOf(row, 'blocks')] ?? 'other', 0) }}
            aria-hidden="true"
          />
          <b>
            <UntrustedText text={whose(row, withRun)} />
          </b>{' '}
          <UntrustedText text={textOf(row, 'sentence')} />
        </li>
      ))}
    </ul>
  );
}

function whose(row: Row, withRun: boolean): string {
  const parts = [withRun ? textOf(row, 'run_id') : '', textOf(row, 'env_name'), textOf(row, 'actor')];
  return `${parts.filter((part) => part !== '').join(' · ')}:`;
}

/** The phase whose colour a layer has. */
const COLOUR_OF: Readonly<Record<string, string>> = {
  model: 'model',
  tools: 'tool_wait',
  sandbox: 'sandbox_setup',
  rate_limit: 'rate_limit',
  loop: 'cpu',
};
