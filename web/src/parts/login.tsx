import { useEffect, useRef, useState } from 'preact/hooks';
import { RequestFailed } from '../api/request.ts';
import { signIn } from '../api/session.ts';
import './login.css';

/** Asks for the token, and draws the page anew once it is right. */
export function Login() {
  const field = useRef<HTMLInputElement>(null);
  const [why, setWhy] = useState('');
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    document.title = 'sign in · rollstream';
    field.current?.focus();
  }, []);

  const send = async (): Promise<void> => {
    setAsking(true);
    try {
      await signIn(field.current?.value ?? '');
      location.reload();
    } catch (error) {
      setWhy(reasonOf(error));
      setAsking(false);
      field.current?.select();
    }
  };

  return (
    <main>
      <section class="card login">
        <h1>rollstream</h1>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <p class="note" id="token-note">
            This server asks for its token: http.token of its configuration, or ROLLSTREAM_HTTP_TOKEN.
          </p>
          <label>
            token
            <input
              ref={field}
              type="password"
              name="token"
              autocomplete="current-password"
              required
              aria-describedby="token-note token-error"
              aria-invalid={why !== ''}
            />
          </label>
          <button type="submit" disabled={isAsking}>
            sign in
          </button>
          <p id="token-error" class={why === '' ? '' : 'error'} role="alert">
            {why}
          </p>
        </form>
      </section>
    </main>
  );
}

function reasonOf(error: unknown): string {
  if (error instanceof RequestFailed && error.status === 401) return 'This is not the token of this server.';
  return error instanceof Error ? error.message : String(error);
}
