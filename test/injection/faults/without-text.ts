import type { Injected, Want } from './fault.ts';
import { want } from './fault.ts';

/** Where nobody kept the text, the lane has only the loop's list, and says no place; with a tokenizer there is one. */
export function withoutText(injected: Injected): Injected {
  const { found, follows = [], may = [] } = injected;
  const isTold = ({ class: name }: Want) => name !== 'malformed_not_fed_back';
  const placeless = ({ class: name }: Want) => name === 'unknown_tool';
  const loose = [...found, ...follows].flatMap((one) => [
    { ...one, when: 'the lane has no text' },
    { ...one, index: null, when: 'the lane has no text' },
  ]);
  return {
    ...injected,
    found: found.filter(isTold).map((one) => (placeless(one) ? { ...one, index: null } : one)),
    follows: follows.filter(isTold),
    may: [
      ...may,
      ...loose,
      ...found
        .filter(({ audit }) => audit === 'tools')
        .map(({ turn }) => ({ ...want('tools', 'silent_repair', turn, null), when: 'the loop says so itself' })),
    ],
  };
}
