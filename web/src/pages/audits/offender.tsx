import { numberOf, type Row, textOf } from '../../api/rows.ts';
import { sidesOf } from '../../parts/finding-sides.ts';
import { RolloutLink } from '../../parts/rollout-link.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import { findingOf, isOfCharacters } from '../rollout/findings.ts';
import { Evidence } from './evidence.tsx';

/** A finding with its evidence; it leads to the place in its rollout. */
export function Offender({ row }: { readonly row: Row }) {
  const finding = findingOf(row);
  const { audit, class: found, severity, turn, index } = finding;
  const token = isOfCharacters(finding) ? null : index;
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
        <UntrustedText text={finding.detail} />
      </p>
      <Evidence
        sides={sidesOf(audit, found)}
        ids={finding.ids}
        expectedIds={finding.expectedIds}
        text={finding.text}
        expectedText={finding.expectedText}
      />
    </article>
  );
}
