import { RequestFailed } from '../api/request.ts';

/** What failed, and why, where one looks for it. */
export function ErrorNote({ error, what }: { readonly error: Error; readonly what: string }) {
  const code = error instanceof RequestFailed && error.code !== '' ? ` (${error.code})` : '';
  return (
    <p class="error" role="alert">
      {what}: {error.message}
      {code}
    </p>
  );
}
