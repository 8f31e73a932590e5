import { RequestFailed } from '../api/request.ts';
import { UntrustedText } from './untrusted-text.tsx';

/** What failed, and why, where one looks for it; a message may quote an id of a rollout. */
export function ErrorNote({ error, what }: { readonly error: Error; readonly what: string }) {
  const code = error instanceof RequestFailed && error.code !== '' ? ` (${error.code})` : '';
  return (
    <p class="error" role="alert">
      {what}: <UntrustedText text={error.message} />
      {code}
    </p>
  );
}
