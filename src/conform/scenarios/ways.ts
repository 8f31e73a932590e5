import type { CallForm } from '../call-form.ts';
import { honestPlay, saying } from './saying.ts';
import type { Play, Turn } from './scenario.ts';
import { hermesCall, kimiCall, kimiSection } from './write-calls.ts';

/** One of the ways in which a scenario misbehaves. */
export interface Way {
  /** After `a call with`. */
  readonly what: string;
  /** The call for a query; in a form that is not listed it has no meaning, and is not played. */
  readonly written: Readonly<Partial<Record<CallForm, (query: string) => string>>>;
}

/** A search whose arguments are this text, in the forms that write them as JSON. */
export function inJson(argsOf: (query: string) => string): Way['written'] {
  return {
    hermes: (query) => hermesCall(`{"name": "search", "arguments": ${argsOf(query)}}`),
    kimi: (query) => kimiSection(kimiCall('search', argsOf(query))),
  };
}

/** By the number of the task, in the first turn, one of the ways that the form has; then the honest turns. */
export function playWay(turn: Turn, ways: readonly Way[]): Play {
  const { form, task } = turn;
  const played = ways.filter(({ written }) => written[form] !== undefined);
  const way = played[task.number % played.length];
  const written = way?.written[form];
  if (turn.turn > 0 || way === undefined || written === undefined) return honestPlay(turn, 1);
  return saying(turn, `I will look that up first.\n${written(task.query)}`, `a call with ${way.what}`);
}

/** What of the ways has no meaning in a form, in words. */
export function unplayedWays(ways: readonly Way[], form: CallForm): string[] {
  return ways.filter(({ written }) => written[form] === undefined).map(({ what }) => what);
}
