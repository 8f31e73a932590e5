import type { ExplainedAttempt, ExplainedRollout, Explanation } from '../../../../src/access/explanation.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { hrefOf } from '../../state/place.ts';
import { type ViewerPlace, viewerHref } from './viewer-place.ts';

interface WhichRolloutProps {
  readonly explanation: Explanation;
  readonly rollout: ExplainedRollout;
  readonly attempt: ExplainedAttempt;
  readonly place: ViewerPlace;
}

/** Where it comes from, its attempts, and others of the same id. */
export function WhichRollout({ explanation, rollout, attempt, place }: WhichRolloutProps) {
  const row = attempt.started ?? attempt.decision ?? attempt.step_faults[0];
  const text = (name: string): string => (row?.[name] === null || row?.[name] === undefined ? '' : String(row[name]));
  const facts = [
    ['run', rollout.run_id],
    ['environment', text('env_name')],
    ['task', text('task_id')],
    ['group', text('group_id')],
    ['epoch', rollout.epoch === 0 ? '' : String(rollout.epoch)],
    ['source', text('source_location') || text('source_format')],
  ].filter(([, value]) => value !== '');
  return (
    <div class="which">
      <a href={hrefOf({ page: 'rollout', params: { run: place.run } })}>all rollouts</a>
      {facts.map(([name, value]) => (
        <span key={name}>
          <span class="faint">{name}</span> <UntrustedText text={value ?? ''} />
        </span>
      ))}
      {rollout.attempts.length === 1 ? null : (
        <span class="attempts">
          {rollout.attempts.map(({ attempt: number, decision }) => (
            <a
              key={number}
              href={viewerHref(place, { attempt: number, token: null, turn: null, segment: '' })}
              aria-current={number === attempt.attempt ? 'true' : undefined}
            >
              attempt {number} ({decision?.disposition ?? 'open'})
            </a>
          ))}
        </span>
      )}
      {explanation.rollouts.length === 1 ? null : (
        <span>
          <span class="faint">also in</span>{' '}
          {explanation.rollouts
            .filter((other) => other !== rollout)
            .map(({ run_id: run, epoch }) => (
              <a
                key={`${run} ${epoch}`}
                href={viewerHref(place, { run, epoch: String(epoch), attempt: null, token: null, turn: null })}
              >
                <UntrustedText text={`${run}${epoch === 0 ? '' : `, epoch ${epoch}`}`} />
              </a>
            ))}
        </span>
      )}
    </div>
  );
}
