import type { ExplainedAttempt, ExplainedRollout } from '../../../../src/access/explanation.ts';
import { NOTHING } from '../../parts/format.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { goWith } from '../../state/place.ts';
import type { PieceOf } from './call-text.ts';
import { firstDifference } from './first-difference.ts';
import { plainText } from './long-text.tsx';
import { TokenList } from './token-text.tsx';
import { usePieces } from './use-pieces.ts';
import { type ViewerPlace, viewerHref } from './viewer-place.ts';

interface DiffViewProps {
  readonly rollout: ExplainedRollout;
  readonly attempt: ExplainedAttempt;
  readonly pieceOf: PieceOf;
  readonly place: ViewerPlace;
}

type Facts = Readonly<Record<string, unknown>>;

/** An attempt beside another one, or beside what a replay made of it. */
export function DiffView({ rollout, attempt, pieceOf, place }: DiffViewProps) {
  const others = [
    ...rollout.attempts
      .filter((one) => one.attempt !== attempt.attempt)
      .map((one) => ({ key: `attempt:${one.attempt}`, name: `attempt ${one.attempt}` })),
    ...(attempt.replays ?? []).map(({ replay_id, label }) => ({
      key: `replay:${replay_id}`,
      name: `replay ${label === '' ? replay_id : label}`,
    })),
  ];
  const chosen = others.find(({ key }) => key === place.other) ?? others[0];
  const other = rollout.attempts.find((one) => `attempt:${one.attempt}` === chosen?.key) ?? null;
  const replay = attempt.replays?.find(({ replay_id }) => `replay:${replay_id}` === chosen?.key);
  if (chosen === undefined)
    return (
      <p class="empty">
        There is nothing to compare it with: it has one attempt, and no replay has decided it. To score it again under
        another policy or verifier: npx rollstream replay --help
      </p>
    );
  return (
    <div class="diff">
      <label>
        attempt {attempt.attempt} beside{' '}
        <select value={chosen.key} onChange={(event) => goWith({ with: event.currentTarget.value })}>
          {others.map(({ key, name }) => (
            <option key={key} value={key}>
              {plainText(name)}
            </option>
          ))}
        </select>
      </label>
      <Decisions
        names={[`attempt ${attempt.attempt}${replay === undefined ? '' : ', live'}`, chosen.name]}
        sides={[factsOf(attempt), replay === undefined ? factsOf(other) : { ...replay.decision }]}
      />
      {other === null ? (
        <p class="note">A replay decides the same tokens anew, so that there are no others to compare.</p>
      ) : (
        <Tokens attempt={attempt} other={other} pieceOf={pieceOf} place={place} />
      )}
    </div>
  );
}

/** What two decisions say by nature of another attempt, and nobody looks for. */
const APART: ReadonlySet<string> = new Set([
  'attempt',
  'replay_id',
  'score_id',
  'decided_at',
  'started_at',
  'ended_at',
  'first_offset',
  'offset',
  'partition',
  'version',
  'term',
  'event_time',
]);

function factsOf(attempt: ExplainedAttempt | null): Facts {
  if (attempt === null) return {};
  const parts = Object.fromEntries(attempt.reward_parts.map(({ name, value }) => [`reward part ${name}`, value]));
  const found = attempt.audits.map((row) => row.class).filter((name) => typeof name === 'string' && name !== '');
  return { ...attempt.decision, ...parts, findings: [...new Set(found)] };
}

function Decisions({
  names,
  sides: [a, b],
}: {
  readonly names: readonly [string, string];
  readonly sides: readonly [Facts, Facts];
}) {
  const fields = Object.keys({ ...a, ...b }).filter(
    (name) =>
      !APART.has(name) &&
      (name in a || name.startsWith('reward part')) &&
      (name in b || name.startsWith('reward part')),
  );
  const apart = fields.filter((name) => JSON.stringify(a[name] ?? null) !== JSON.stringify(b[name] ?? null));
  return (
    <section class="scroll" tabIndex={0} aria-label="decisions that differ">
      <table>
        <caption>
          {apart.length === 0
            ? 'both were decided alike'
            : `what differs between the decisions (${apart.length} of ${fields.length} facts)`}
        </caption>
        <thead>
          <tr>
            <th scope="col">fact</th>
            {names.map((name) => (
              <th key={name} scope="col">
                <UntrustedText text={name} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {apart.map((name) => (
            <tr key={name}>
              <th scope="row">
                <UntrustedText text={name} />
              </th>
              <td>{shown(a[name])}</td>
              <td>{shown(b[name])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function shown(value: unknown) {
  if (value === null || value === undefined) return <span class="faint">{NOTHING}</span>;
  return <UntrustedText text={typeof value === 'string' ? value : JSON.stringify(value)} />;
}

const AROUND = 8;

function Tokens({
  attempt,
  other,
  pieceOf,
  place,
}: {
  readonly attempt: ExplainedAttempt;
  readonly other: ExplainedAttempt;
  readonly pieceOf: PieceOf;
  readonly place: ViewerPlace;
}) {
  const pieces = usePieces(other, `${place.run} ${place.id} ${place.epoch} ${other.attempt}`, place.tokenizer);
  const mine = attempt.trajectory?.segments ?? [];
  const theirs = other.trajectory?.segments ?? [];
  const ids = [...new Set([...mine, ...theirs].map(({ segment_id }) => segment_id))];
  if (ids.length === 0) return <p class="note">Neither has token ids.</p>;
  return (
    <section aria-label="where the tokens part">
      <h2>where the tokens part</h2>
      {ids.map((id) => {
        const a = mine.find(({ segment_id }) => segment_id === id)?.token_ids;
        const b = theirs.find(({ segment_id }) => segment_id === id)?.token_ids;
        if (a === undefined || b === undefined)
          return (
            <p key={id}>
              <UntrustedText
                text={`Segment ${id}: only attempt ${a === undefined ? other.attempt : attempt.attempt} has it.`}
              />
            </p>
          );
        const at = firstDifference(a, b);
        if (at === null)
          return (
            <p key={id}>
              <UntrustedText text={`Segment ${id}: the same ${a.length} tokens.`} />
            </p>
          );
        const from = Math.max(0, at - AROUND);
        return (
          <div key={id}>
            <p>
              <UntrustedText text={`Segment ${id}: the first ${at} tokens are the same; they part at token ${at}.`} />
            </p>
            <dl class="sides">
              {[
                { of: attempt.attempt, side: a, texts: pieceOf },
                { of: other.attempt, side: b, texts: pieces.pieceOf },
              ].map(({ of, side, texts }) => (
                <div key={of}>
                  <dt>
                    <a
                      href={viewerHref(place, {
                        view: 'tokens',
                        attempt: of,
                        segment: id,
                        token: Math.min(at, side.length - 1),
                        turn: null,
                      })}
                    >
                      attempt {of}, token {at}
                    </a>
                  </dt>
                  <dd>
                    <TokenList
                      ids={side.slice(from, at + AROUND)}
                      pieceOf={texts}
                      marked={(nth) => nth === at - from}
                    />
                    {side.length <= at ? <span class="warn"> it ends here</span> : null}
                  </dd>
                </div>
              ))}
            </dl>
          </div>
        );
      })}
    </section>
  );
}
