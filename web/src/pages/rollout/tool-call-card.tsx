import type { JsonRow } from '../../../../src/access/explanation.ts';
import { duration, NOTHING } from '../../parts/format.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { comparedArguments, type Kept } from './arguments-compared.ts';
import { LongText, plainText, ShortText } from './long-text.tsx';
import type { ToolCall } from './story-items.ts';

/** A call of a tool: as it was written, read and executed, beside each other, and what came back. */
export function ToolCallCard({ call, hasText }: { readonly call: ToolCall; readonly hasText: boolean }) {
  const { name, callId, raw, parsed, status, parser, results } = call;
  const executed = results[0]?.executed_arguments;
  return (
    <section class="tool-call" aria-label={plainText(`tool call ${name}`)}>
      <header>
        <strong class="mono">
          <ShortText text={name} most={80} />
        </strong>
        <span class="faint">
          <ShortText text={callId} most={80} />
        </span>
        {status === 'ok' || status === 'unknown' ? null : (
          <span class="badge bad">
            parse status <ShortText text={status} most={60} />
          </span>
        )}
        <span class="faint">
          <ShortText text={parser === null ? 'parser not recorded' : `parser ${parser}`} most={80} />
        </span>
      </header>
      <Arguments
        raw={raw}
        parsed={parsed}
        executed={typeof executed === 'string' ? executed : null}
        hasText={hasText}
      />
      {results.length === 0 ? <p class="warn">No result came back for this call.</p> : null}
      {results.map((result, nth) => (
        <ToolResult key={nth} step={result} />
      ))}
    </section>
  );
}

function Arguments({
  raw,
  parsed,
  executed,
  hasText,
}: {
  readonly raw: string | null;
  readonly parsed: string | null;
  readonly executed: string | null;
  /** The raw text, in which the call may stand, is above. */
  readonly hasText: boolean;
}) {
  const compared = comparedArguments(raw, parsed, executed);
  if (raw === null && parsed === null && executed === null)
    return <p class="faint">The source kept no arguments of this call.</p>;
  return (
    <>
      <div class="scroll">
        <table class="arguments">
          <caption>arguments</caption>
          <thead>
            <tr>
              <th scope="col">name</th>
              <Side
                name="written by the model"
                kept={compared.written}
                absent={hasText ? 'in the raw text above, not by themselves' : 'not recorded'}
              />
              <Side name="as the parser read them" kept={compared.parsed} />
              <Side name="as executed" kept={compared.executed} absent="the source does not say" />
            </tr>
          </thead>
          <tbody>
            {compared.rows.map(({ name, written, parsed: read, executed: ran, differs }) => (
              <tr key={name} class={differs ? 'differs' : ''}>
                <th scope="row">
                  <ShortText text={name} most={80} />
                  {differs ? <span class="badge bad">differs</span> : null}
                </th>
                {[
                  [written, compared.written],
                  [read, compared.parsed],
                  [ran, compared.executed],
                ].map(([value, kept], nth) => (
                  <td key={nth}>
                    {value === null || value === undefined ? (
                      <Absent kept={kept} />
                    ) : (
                      <ShortText text={value} most={1_500} />
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {[
        ['written by the model', raw, compared.written] as const,
        ['as the parser read them', parsed, compared.parsed] as const,
        ['as executed', executed, compared.executed] as const,
      ].map(([name, text, kept]) =>
        text === null || kept !== 'unreadable' ? null : <Unreadable key={name} name={name} text={text} />,
      )}
    </>
  );
}

function Side({
  name,
  kept,
  absent = 'not recorded',
}: {
  readonly name: string;
  readonly kept: Kept;
  readonly absent?: string;
}) {
  return (
    <th scope="col">
      {name}
      {kept === 'read' ? null : (
        <span class={kept === 'unreadable' ? 'bad' : 'faint'}> ({kept === 'unreadable' ? 'no JSON' : absent})</span>
      )}
    </th>
  );
}

function Absent({ kept }: { readonly kept: string | null | undefined }) {
  return kept === 'read' ? <span class="bad">missing</span> : <span class="faint">{NOTHING}</span>;
}

function Unreadable({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <>
      <p class="bad">Arguments {name} cannot be read as JSON:</p>
      <LongText text={text} label={`arguments ${name}`} />
    </>
  );
}

/** What a tool answered, with its errors and times. */
export function ToolResult({ step }: { readonly step: JsonRow }) {
  const { status, exit_code: exit, has_error: failed } = step;
  const times = [
    ['waited', step.wait_us],
    ['ran', step.exec_us],
    ['took', step.duration_us],
  ].flatMap(([name, us]) => (typeof us === 'number' ? [`${name} ${duration(us / 1000)}`] : []));
  return (
    <div class="tool-result">
      <p>
        <strong>result</strong>{' '}
        <span class={`badge ${failed === true ? 'bad' : ''}`}>
          <ShortText text={String(status === '' ? 'unknown' : status)} most={60} />
        </span>
        {typeof exit === 'number' ? <span class={exit === 0 ? 'faint' : 'bad'}> exit code {exit}</span> : null}{' '}
        <span class="faint">{times.join(' · ')}</span>
      </p>
      {failed === true ? (
        <p class="error">
          <UntrustedText
            text={[step.error_type, step.error_message]
              .filter((part) => typeof part === 'string' && part !== '')
              .join(': ')}
          />
        </p>
      ) : null}
      {typeof step.text === 'string' ? (
        <LongText text={step.text} label={plainText(`what the tool answered to ${String(step.call_id)}`)} />
      ) : (
        <p class="faint">no output was kept</p>
      )}
    </div>
  );
}
