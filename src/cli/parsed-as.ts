import { InvalidArgumentError } from 'commander';
import { type Key, KeyFault } from '../config/key.ts';

/** What reads the value of a flag as that of a key is read. */
export function parsedAs<Value>(key: Key<Value>): (text: string) => Value {
  return function parsed(text) {
    const value = key.parse(text, true);
    if (value instanceof KeyFault) throw new InvalidArgumentError(`${key.allowed} is needed`);
    return value;
  };
}
