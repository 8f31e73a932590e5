import type { ExplainedAttempt } from '../../../../src/access/explanation.ts';
import { finishWord } from '../../parts/finish-word.ts';
import { count, decimal, NOTHING } from '../../parts/format.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { placeWords } from './finding-note.tsx';
import { ShortText } from './long-text.tsx';
import type { Trouble } from './troubles.ts';
import { type ViewerPlace, viewerHref } from './viewer-place.ts';

interface GlanceProps {
  readonly attempt: ExplainedAttempt;
  readonly troubles: readonly Trouble[];
  readonly place: ViewerPlace;
}

/** What became of an attempt and where to look; in the story also the three facts beside each other. */
export function Glance({ attempt, troubles, place }: GlanceProps) {
  const { decision } = attempt;
  return (
    <section class="glance" aria-label="at a glance">
      <p class="sentence">
        <span class={`badge ${toneOf(attempt)}`}>{decision?.disposition ?? 'open'}</span>{' '}
        <UntrustedText text={attempt.summary} />
      </p>
      {troubles.length === 0 ? null : (
        <ul class="troubles" aria-label="where to look">
          {troubles.map((trouble, nth) => (
            <li key={nth}>
              <UntrustedText text={trouble.what} />
              {trouble.place === null ? null : (
                <>
                  {' · '}
                  <a
                    href={viewerHref(place, {
                      view: 'tokens',
                      segment: trouble.place.segment,
                      token: trouble.place.from,
                      turn: null,
                    })}
                  >
                    <UntrustedText text={placeWords(trouble.place)} />
                  </a>
                </>
              )}
              {trouble.turn === null ? null : (
                <>
                  {' · '}
                  <a href={viewerHref(place, { view: 'story', turn: trouble.turn, token: null, segment: '' })}>
                    turn {trouble.turn}
                  </a>
                </>
              )}
              {trouble.detail === '' ? null : (
                <>
                  {': '}
                  <ShortText text={trouble.detail} />
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      {place.view === 'story' ? <Facts attempt={attempt} /> : null}
      {place.view !== 'story' || attempt.would_train.length === 0 ? null : (
        <p class="remedy">
          It would train, by each of these alone: <UntrustedText text={attempt.would_train.join('; ')} />
        </p>
      )}
    </section>
  );
}

function Facts({ attempt }: { readonly attempt: ExplainedAttempt }) {
  const { decision, trajectory, verdicts } = attempt;
  if (decision === null) return null;
  const raw = trajectory?.reasons.map((reason) => `${reason.system} said ${JSON.stringify(reason.raw)}`) ?? [];
  const finish = decision.finish_reason;
  const spoke = verdicts.map(({ scorer, scorer_version: version, status, standing, rewards }) => {
    const values = Object.entries(rewards).map(([name, value]) => `${name} ${value ?? 'null'}`);
    return `${scorer}${version === '' ? '' : ` ${version}`}: ${[status, ...values].join(', ')}${standing === 'counts' ? '' : ` (${standing})`}`;
  });
  return (
    <div class="tiles facts">
      <Fact name="why the loop ended" value={decision.reason_code} lines={[`category ${decision.category}`, ...raw]} />
      <Fact
        name="engine's last finish reason"
        value={finish === null ? NOTHING : finishWord(finish)}
        lines={[finish === null ? 'the source has none' : finish]}
      />
      <Fact name="verifier" value={verifierWord(attempt)} lines={spoke.length === 0 ? ['none has spoken'] : spoke} />
      <Fact
        name="reward"
        value={decision.reward === null ? 'null' : decimal(decision.reward)}
        lines={[
          decision.reward_valid ? 'valid' : 'not valid',
          `advantage ${decimal(decision.advantage)}`,
          decision.in_loss ? 'in the loss' : 'not in the loss',
        ]}
      />
      <Fact
        name="size"
        value={count(decision.n_tokens)}
        lines={[
          `tokens, ${count(decision.n_sampled_tokens)} sampled`,
          `${decision.n_turns} turns`,
          `weights ${weightsOf(decision.weights_version_min, decision.weights_version_max)}`,
        ]}
      />
    </div>
  );
}

/** What was decided by; a verdict that came later, or was replaced, is told below it. */
function verifierWord({ decision, verdicts }: ExplainedAttempt): string {
  const isUncounted = decision?.verifier_status === 'none' && verdicts.length > 0;
  return isUncounted ? 'none that counts' : (decision?.verifier_status ?? NOTHING);
}

function Fact({
  name,
  value,
  lines,
}: {
  readonly name: string;
  readonly value: string;
  readonly lines: readonly string[];
}) {
  return (
    <div class="tile">
      <span>{name}</span>
      <b>
        <ShortText text={value} most={60} />
      </b>
      {lines.map((line, nth) => (
        <span key={nth} class="fact-line">
          <ShortText text={line} most={160} />
        </span>
      ))}
    </div>
  );
}

function weightsOf(min: string | null, max: string | null): string {
  if (min === null || min === max) return min ?? 'unknown';
  return `${min} to ${max}`;
}

function toneOf({ decision }: ExplainedAttempt): string {
  if (decision === null) return '';
  return decision.in_loss
    ? 'good'
    : decision.disposition === 'quarantine' || decision.disposition === 'drop'
      ? 'bad'
      : 'warn';
}
