import type { JsonRow } from '../../../../src/access/explanation.ts';
import { stepSummary } from '../../../../src/cli/step-summary.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { LongText, plainText, ShortText } from './long-text.tsx';
import { ToolResult } from './tool-call-card.tsx';

/** A step that no model call made: the start, a message, a phase, a result that nobody asked for, the end. */
export function StepCard({ step }: { readonly step: JsonRow }) {
  const { kind, role } = step;
  if (kind === 'start') return <Start step={step} />;
  if (kind === 'message')
    return (
      <article class="step" aria-label={plainText(`message of ${String(role)}`)}>
        <h2>
          <ShortText text={String(role)} most={40} />
        </h2>
        <LongText text={messageText(step.text)} label={plainText(`text of ${String(role)}`)} />
      </article>
    );
  if (kind === 'tool_result')
    return (
      <article class="step" aria-label="tool result">
        <h2>a result that no call of the record asked for</h2>
        <p class="mono">
          <ShortText text={String(step.tool_name ?? '')} most={80} />
        </p>
        <ToolResult step={step} />
      </article>
    );
  return (
    <p class={step.has_error === true ? 'step-line bad' : 'step-line'}>
      <strong>{String(kind)}</strong> <UntrustedText text={stepSummary(step)} />
      {typeof step.text === 'string' && step.text !== '' && kind === 'end' ? (
        <LongText text={step.text} label="final response" />
      ) : null}
    </p>
  );
}

function Start({ step }: { readonly step: JsonRow }) {
  const task = typeof step.text === 'string' && step.text !== '' ? step.text : null;
  const truth = truthOf(step.task_metadata_json);
  return (
    <article class="step" aria-label="start">
      <h2>start</h2>
      {task === null ? null : <LongText text={task} label="the task" />}
      {truth === null ? null : (
        <>
          <h3>what the task expects (ground truth)</h3>
          <LongText text={truth} label="ground truth" />
        </>
      )}
      {[
        ['task metadata', step.task_metadata_json],
        ['tools', step.tools_json],
        ['more', step.detail_json],
      ].map(([name, json]) =>
        typeof json !== 'string' || json === '' ? null : (
          <details key={String(name)}>
            <summary>{String(name)}</summary>
            <LongText text={indented(json)} label={String(name)} />
          </details>
        ),
      )}
    </article>
  );
}

function truthOf(metadata: unknown): string | null {
  const value = readJson(metadata);
  if (typeof value !== 'object' || value === null) return null;
  const found = Object.entries(value).find(([name]) => /^(?:ground_truth|expected_answer|answer)$/.test(name))?.[1];
  if (found === undefined || found === null) return null;
  return typeof found === 'string' ? found : JSON.stringify(found);
}

/** Parts of a message are JSON: where all of them are text, that is what is read. */
function messageText(value: unknown): string {
  const parts = readJson(value);
  if (typeof parts === 'string') return parts;
  if (Array.isArray(parts)) {
    const texts = parts.map((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
        ? part.text
        : JSON.stringify(part),
    );
    return texts.join('\n');
  }
  return typeof value === 'string' ? value : '';
}

function indented(json: string): string {
  const value = readJson(json);
  return value === undefined ? json : JSON.stringify(value, null, 2);
}

function readJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
