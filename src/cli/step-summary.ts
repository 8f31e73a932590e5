import type { JsonRow } from '../access/explanation.ts';

const TEXT_LENGTH = 60;

/** What a step was, in a few words. */
export function stepSummary(step: JsonRow): string {
  const parts = partsOf(step).filter((part) => part !== '');
  const error = [text(step.error_type), text(step.error_message)].filter((part) => part !== '').join(': ');
  return [...parts, ...(error === '' ? [] : [`error ${short(error)}`])].join(', ');
}

function partsOf(step: JsonRow): string[] {
  switch (step.kind) {
    case 'start':
      return [text(step.weights_version) === '' ? '' : `weights ${text(step.weights_version)}`, quotedText(step.text)];
    case 'model_call':
      return [
        text(step.model),
        text(step.finish_reason) === ''
          ? 'no finish reason'
          : `finish_reason ${short(finishWord(text(step.finish_reason)))}`,
        ...toolCalls(step),
        quotedText(step.text),
      ];
    case 'tool_result':
      return [text(step.tool_name), text(step.status), quotedText(step.text)];
    case 'message':
      return [text(step.role), quotedText(step.text)];
    case 'phase':
      return [text(step.phase), duration(step.duration_us)];
    case 'verdict':
      return [text(step.status)];
    case 'end':
      return list(step['reasons.raw']).map(
        (raw, index) => `${list(step['reasons.system'])[index] ?? ''} said ${JSON.stringify(raw)}`,
      );
    case 'control':
      return [text(step.control_type)];
    default:
      return [];
  }
}

/** Some engines give an object: its type says it in a word, the line of the engine has it whole. */
function finishWord(reason: string): string {
  if (!reason.startsWith('{')) return reason;
  try {
    const { type }: { type?: unknown } = Object(JSON.parse(reason));
    return typeof type === 'string' ? type : reason;
  } catch {
    return reason;
  }
}

function toolCalls(step: JsonRow): string[] {
  const statuses = list(step['tool_calls.parse_status']);
  return list(step['tool_calls.name']).map((name, index) => {
    const status = statuses[index] ?? 'unknown';
    return `calls ${name}${status === 'ok' || status === 'unknown' ? '' : ` (${status})`}`;
  });
}

function duration(us: unknown): string {
  return typeof us === 'number' ? `${(us / 1000).toFixed(1)} ms` : '';
}

function quotedText(value: unknown): string {
  return text(value) === '' ? '' : JSON.stringify(short(text(value)));
}

function short(value: string): string {
  return value.length > TEXT_LENGTH ? `${value.slice(0, TEXT_LENGTH)}…` : value;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.map((entry) => String(entry ?? 'unnamed')) : [];
}
