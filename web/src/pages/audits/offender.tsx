import { numberOf, type Row, textOf } from '../../api/rows.ts';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import { Evidence } from './evidence.tsx';
import { sidesOf } from './sides.ts';

/** A finding with its evidence; it leads to the place in its rollout. */
export function Offender({ row }: { readonly row: Row }) {
  const severity = textOf(row, 'severity');
  const [audit, found] = [textOf(row, 'audit'), textOf(row, 'class')];
  const turn = placeOf(row, 'turn');
  const index = placeOf(row, 'index');
  // What the tools audit counts is characters of a text.
  const token = audit === 'tools' ? null : index;
  const attempt = numberOf(row, 'attempt');
  return (
    <article class="offender" aria-label={`${found} in ${textOf(row, 'rollout_id')}`}>
      <header>
        <span class={`badge ${severity === 'fail' ? 'bad' : 'warn'}`}>{severity}</span>
        <button type="button" class="plain" onClick={() => goWith({ audit, class: found })}>
          {found}
        </button>
        <span class="faint">of {audit}</span>
        <RolloutLink
          run={textOf(row, 'run_id')}
          rollout={textOf(row, 'rollout_id')}
          attempt={attempt}
          at={{
            turn: turn === null ? '' : String(turn),
            token: token === null ? '' : String(token),
            view: turn === null && token === null ? '' : 'tokens',
          }}
        />
        <span class="faint">
          {turn === null ? null : `call ${turn}`}
          {index === null ? null : `, ${token === null ? 'character' : 'token'} ${index}`}
        </span>
        <span class="faint whose">
          <UntrustedText text={[textOf(row, 'run_id'), textOf(row, 'env_name'), textOf(row, 'task_id')].join(' · ')} />
        </span>
      </header>
      <p>
        <UntrustedText text={textOf(row, 'detail')} />
      </p>
      <Evidence
        sides={sidesOf(audit, found)}
        ids={idsOf(row.ids)}
        expectedIds={idsOf(row.expected_ids)}
        text={textOf(row, 'text')}
        expectedText={textOf(row, 'expected_text')}
      />
    </article>
  );
}

/** -1: the finding has none. */
function placeOf(row: Row, name: string): number | null {
  const value = numberOf(row, name);
  return value === null || value < 0 ? null : value;
}

function idsOf(value: unknown): number[] {
  return Array.isArray(value) ? value.filter((id) => typeof id === 'number') : [];
}
