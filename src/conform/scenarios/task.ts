import { createRandom } from '../../simulate/random.ts';

/** A small task that wants both tools: a fact to look up, and a sum to do with it. */
export interface Task {
  readonly scenario: string;
  readonly number: number;
  /** As it is given to an agent, with the marker. */
  readonly prompt: string;
  readonly query: string;
  readonly expression: string;
  readonly answer: string;
}

const PLACES = [
  'Aldermoor',
  'Brindle Bay',
  'Cairnhollow',
  'Dunmere',
  'Eastwick Ferry',
  'Fennimore',
  'Gullcrag',
  'Hartsea',
];
const THINGS = ['bridges', 'lighthouses', 'libraries', 'windmills', 'orchards', 'ferries', 'chapels', 'stone gates'];

/** One seed, scenario and number give one task. */
export function taskOf(seed: number, scenario: string, number: number): Task {
  const random = createRandom(`task ${seed} ${scenario} ${number}`);
  const [place, thing] = [random.pick(PLACES), random.pick(THINGS)];
  const [count, factor, extra] = [random.whole(11, 98), random.whole(3, 19), random.whole(2, 99)];
  return {
    scenario,
    number,
    prompt:
      `[[rollstream:${scenario}#${number}]] Look up with the search tool how many ${thing} ${place} has. ` +
      `Multiply that by ${factor} and add ${extra} with the calculator tool. Then say the result.`,
    query: `number of ${thing} in ${place}`,
    expression: `${count} * ${factor} + ${extra}`,
    answer: String(count * factor + extra),
  };
}
