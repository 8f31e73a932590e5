import type { Random } from '../../../src/simulate/random.ts';
import type { Model } from '../models.ts';
import { isThinkingOff, known, placeOf, promptText, type Rollout, type RolloutTurn } from '../rollout.ts';
import { type Injected, someTurn, turnOf, type Want, want } from './fault.ts';

const NEWLINE = 198;

export function textOfPrompt(rollout: Rollout, k: number): string {
  return promptText(rollout.model, turnOf(rollout, k).messages, k === 0, isThinkingOff(rollout.start));
}

/** Place of what turn `k` adds to what is held. */
export function addedAt(rollout: Rollout, k: number): number {
  const { prompt } = placeOf(rollout, k);
  return prompt.length - turnOf(rollout, k).added.length;
}

/** Token that holds a character of a text which was encoded whole. */
export function tokenAt(model: Model, ids: readonly number[], text: string, character: number): number {
  const bytes = Buffer.byteLength(text.slice(0, character));
  let end = 0;
  return ids.findIndex((id) => {
    end += model.decode([id]).length;
    return end > bytes;
  });
}

/** Encodes another text in the place of what turn `k` would add; answers where a part of it stands in the segment. */
export function addText(rollout: Rollout, k: number, text: string, part: string): number {
  const { model } = rollout;
  const turn = turnOf(rollout, k);
  turn.added = model.encode(text);
  return addedAt(rollout, k) + tokenAt(model, turn.added, text, text.indexOf(part));
}

export function removeAt(rollout: Rollout, k: number, at: number, ...instead: number[]): number {
  const index = addedAt(rollout, k) + at;
  turnOf(rollout, k).added.splice(at, 1, ...instead);
  return index;
}

/** Places of a prompt at which one turn is parted from the next. */
export function separators({ model }: Rollout, { added }: RolloutTurn): number[] {
  return added.flatMap((id, i) => (id === NEWLINE && added[i + 1] === model.openId ? [i] : []));
}

/** Places at which a message of a prompt ends. */
export function ends({ model }: Rollout, { added }: RolloutTurn): number[] {
  return added.flatMap((id, i) => (id === model.endId ? [i] : []));
}

export function template(name: string, turn: number, index: number): Injected {
  return { found: [want('template', name, turn, index)] };
}

/** A later turn whose prompt shows tool results. */
export function resultTurn(rollout: Rollout, random: Random): number {
  return someTurn(rollout, random, ({ messages }) => messages[0]?.role === 'tool');
}

export const CALLING = { least: 2, calls: true } as const;

/** A history in which turn `k` says something else. */
export function rewriteText(rollout: Rollout, k: number, text: string): number {
  const { model } = rollout;
  const { sampled } = turnOf(rollout, k);
  turnOf(rollout, k + 1).rewrite = (held) => [
    ...held.slice(0, held.length - sampled.length),
    ...model.encode(text),
    model.endId,
  ];
  return placeOf(rollout, k + 1).prefix;
}

export function alsoDrift(
  k: number,
  index: number,
  ...names: readonly string[]
): ReadonlyArray<Want & { readonly why: string }> {
  return names.map((name) => ({
    ...want('tokens', name, k + 1, index),
    why: 'the prompt does not hold what was sampled',
  }));
}

export function keepResults(rollout: Rollout, k: number): void {
  const next = turnOf(rollout, k + 1);
  next.messages = next.messages.slice(0, turnOf(rollout, k).calls.length);
  next.added = rollout.model.encode(textOfPrompt(rollout, k + 1));
}
export function placeOfEnd(rollout: Rollout, k: number, text: string): number {
  const { model } = rollout;
  const turn = turnOf(rollout, k);
  turn.added = model.encode(text);
  return addedAt(rollout, k) + known(ends(rollout, turn).at(-1));
}
