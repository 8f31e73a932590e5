import { hrefOf } from '../state/place.ts';
import { UntrustedText } from './untrusted-text.tsx';

interface RolloutLinkProps {
  readonly run: string;
  readonly rollout: string;
  /** The first is 0; null: not known, and its page shows the newest. */
  readonly attempt: number | null;
  /** Pass over the tasks; left out: the first that is there. */
  readonly epoch?: string;
  /** What of its page is shown: one of its views, at a turn or token. */
  readonly at?: Readonly<Record<string, string>>;
}

export function rolloutHref({ run, rollout, attempt, epoch = '', at = {} }: RolloutLinkProps): string {
  const params = { run, id: rollout, epoch, attempt: attempt === null ? '' : String(attempt), ...at };
  return hrefOf({ page: 'rollout', params });
}

/** A rollout by its name, and its try where it is not the first. */
export function RolloutLink(props: RolloutLinkProps) {
  const { rollout, attempt } = props;
  return (
    <a href={rolloutHref(props)}>
      <UntrustedText text={rollout} />
      {attempt === null || attempt === 0 ? null : ` try ${attempt}`}
    </a>
  );
}
