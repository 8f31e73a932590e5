import { abortPartial } from './abort-partial.ts';
import { connectionReset } from './connection-reset.ts';
import { duplicateCall } from './duplicate-call.ts';
import { extraLogprob } from './extra-logprob.ts';
import { honest } from './honest.ts';
import { lengthInCall } from './length-in-call.ts';
import { longText } from './long-text.ts';
import { looseArguments } from './loose-arguments.ts';
import { malformedCall } from './malformed-call.ts';
import { noncanonicalSplit } from './noncanonical-split.ts';
import { random } from './random.ts';
import { repairedLookingCall } from './repaired-looking-call.ts';
import type { Scenario } from './scenario.ts';
import { slowFirstToken } from './slow-first-token.ts';
import { splitCharacter } from './split-character.ts';
import { storm429 } from './storm-429.ts';
import { storm503 } from './storm-503.ts';
import { thinkCall } from './think-call.ts';
import { twoEos } from './two-eos.ts';
import { unclosedCall } from './unclosed-call.ts';
import { weightsChange } from './weights-change.ts';

const ALL: readonly Scenario[] = [
  honest,
  abortPartial,
  weightsChange,
  lengthInCall,
  malformedCall,
  unclosedCall,
  repairedLookingCall,
  looseArguments,
  duplicateCall,
  thinkCall,
  noncanonicalSplit,
  extraLogprob,
  storm429,
  storm503,
  slowFirstToken,
  connectionReset,
  twoEos,
  splitCharacter,
  random,
  longText,
];

/** All that can be played, by name. */
export const SCENARIOS: ReadonlyMap<string, Scenario> = new Map(ALL.map((scenario) => [scenario.name, scenario]));

/** Names of those that test a stack, in the order of a report. */
export const SCENARIO_NAMES: readonly string[] = ALL.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
