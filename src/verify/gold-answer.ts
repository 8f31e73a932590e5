import { isJsonObject } from '../export/parsed-json.ts';
import type { VerifierInput } from './verifier.ts';

/** Fields of a task that may hold the right answer; the first that is there counts. */
const FIELDS = ['answer', 'ground_truth', 'expected'] as const;

/** The right answers of a task, any of which counts; null: it has none that is text, a number or a list of them. */
export function goldAnswers(task: unknown): readonly string[] | null {
  if (!isJsonObject(task)) return null;
  const field = FIELDS.find((name) => task[name] !== undefined && task[name] !== null);
  // Some sources keep it beside other context.
  if (field === undefined) return isJsonObject(task.context) ? goldAnswers({ ...task.context, context: null }) : null;
  const gold = task[field];
  const answers: readonly unknown[] = Array.isArray(gold) ? gold : [gold];
  const texts = answers.map(textOf);
  const known = texts.filter((text) => text !== null);
  return known.length === 0 || known.length < texts.length ? null : known;
}

function textOf(answer: unknown): string | null {
  if (typeof answer === 'string') return answer.trim() === '' ? null : answer;
  return typeof answer === 'number' || typeof answer === 'boolean' ? String(answer) : null;
}

/** The final response, or what the assistant said last where the source keeps none apart; null: there was none. */
export function finalResponse({ final_response, messages }: VerifierInput): string | null {
  if (final_response !== null) return final_response;
  const last = messages?.at(-1);
  if (!isJsonObject(last) || last.role !== 'assistant') return null;
  return typeof last.content === 'string' ? last.content : null;
}
