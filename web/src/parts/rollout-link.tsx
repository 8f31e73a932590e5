import { hrefOf } from '../state/place.ts';
import { UntrustedText } from './untrusted-text.tsx';

interface RolloutLinkProps {
  readonly run: string;
  readonly rollout: string;
  readonly attempt?: number;
  /** What of its page is shown: one of its views, at a turn or token. */
  readonly at?: Readonly<Record<string, string>>;
}

export function rolloutHref({ run, rollout, attempt = 0, at = {} }: RolloutLinkProps): string {
  const params = { run, id: rollout, attempt: attempt === 0 ? '' : String(attempt), ...at };
  return hrefOf({ page: 'rollout', params });
}

/** A rollout by its name, and its try where it is not the first. */
export function RolloutLink(props: RolloutLinkProps) {
  const { rollout, attempt = 0 } = props;
  return (
    <a href={rolloutHref(props)}>
      <UntrustedText text={rollout} />
      {attempt === 0 ? null : ` try ${attempt}`}
    </a>
  );
}
