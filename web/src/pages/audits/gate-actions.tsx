import { useRef, useState } from 'preact/hooks';
import type { GateStatus } from '../../../../src/gate/gate-status.ts';
import type { GateChanged } from '../../../../src/gate/set-gate.ts';
import { postJson } from '../../api/request.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { stateWords } from './gate-words.ts';

type Wish = 'hold' | 'release';

const MOST_REASON_CHARACTERS = 1_000;

/** Hold and release, each behind a question that names the run. What came of it stays until the next. */
export function GateActions({ gate, changed }: { readonly gate: GateStatus; readonly changed: () => void }) {
  const run = gate.run_id;
  const question = useRef<HTMLDialogElement>(null);
  const [wish, setWish] = useState<Wish>('hold');
  const [reason, setReason] = useState('');
  const [isSending, setSending] = useState(false);
  const [answer, setAnswer] = useState<GateChanged | Error | null>(null);

  const ask = (wanted: Wish): void => {
    setWish(wanted);
    question.current?.showModal();
  };
  const send = async (): Promise<void> => {
    question.current?.close();
    setSending(true);
    const told = reason.trim() === '' ? {} : { reason: reason.trim() };
    const body = wish === 'hold' ? { state: 'hold', ...told } : { release: true, ...told };
    try {
      setAnswer(await postJson<GateChanged>(`v1/runs/${encodeURIComponent(run)}/gate`, body));
      setReason('');
      changed();
    } catch (error) {
      setAnswer(error instanceof Error ? error : new Error(String(error)));
    }
    setSending(false);
  };

  return (
    <div class="gate-actions">
      <label>
        reason
        <input
          type="text"
          value={reason}
          maxLength={MOST_REASON_CHARACTERS}
          placeholder="why, for those who come after"
          onInput={(event) => setReason(event.currentTarget.value)}
        />
      </label>
      <button type="button" disabled={isSending} onClick={() => ask('hold')}>
        Hold …
      </button>
      {gate.state === 'open' ? null : (
        <button type="button" disabled={isSending} onClick={() => ask('release')}>
          Release …
        </button>
      )}
      <div role="status">
        {answer === null ? null : answer instanceof Error ? (
          <ErrorNote error={answer} what={`The gate of ${run}`} />
        ) : (
          <Answer answer={answer} />
        )}
      </div>
      <dialog ref={question} aria-labelledby="gate-question">
        <h2 id="gate-question">
          {wish === 'hold' ? 'Hold' : 'Release'} the gate of <UntrustedText text={run} />?
        </h2>
        <p>
          {wish === 'hold'
            ? 'What becomes ready from now on is held, and the trainer gets none of it until the gate is released.'
            : 'What is held goes to the trainer, in its order, and the limits begin to count anew.'}
        </p>
        {reason.trim() === '' ? <p class="warn">No reason is given.</p> : <UntrustedText text={reason.trim()} />}
        <p class="buttons">
          <button type="button" onClick={() => question.current?.close()}>
            Leave it as it is
          </button>
          <button type="button" class="primary" onClick={() => void send()}>
            {wish === 'hold' ? 'Hold' : 'Release'} <UntrustedText text={run} />
          </button>
        </p>
      </dialog>
    </div>
  );
}

function Answer({ answer }: { readonly answer: GateChanged }) {
  return (
    <p class={`answer ${answer.changed ? 'good' : 'faint'}`}>
      The gate of <UntrustedText text={answer.run_id} />{' '}
      {answer.changed
        ? `is ${stateWords(answer.state)} now; it was ${stateWords(answer.before)}.`
        : `was ${stateWords(answer.state)} already: nothing is changed.`}
    </p>
  );
}
