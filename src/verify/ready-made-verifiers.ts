import { RollstreamError } from '../errors.ts';
import { finalResponse, goldAnswers } from './gold-answer.ts';
import { numericValue } from './numeric-value.ts';
import type { Verifier, VerifierAnswer, VerifierInput } from './verifier.ts';

/**
 * `exact`: 1 where the final response is a right answer, blanks around both apart; else 0. `numeric:TOL`: 1 where its last number (that
 * in `\boxed{}` first) is as near as TOL to a right answer; `1%` is relative to that. Without an answer, or with one that is no
 * number, it is 0, as it is wrong; a task without a right answer judges nobody: a fault of the verifier.
 */
export function readyMadeVerifier(spec: string, { scorer = spec.split(':', 1)[0] ?? spec } = {}): Verifier {
  const judge = spec === 'exact' ? exact : numeric(toleranceOf(spec));
  return {
    scorer,
    // The tolerance is part of the question.
    version: spec === 'exact' ? '1' : `1:${spec.slice('numeric:'.length)}`,
    verify: async (input) => judge(input),
    close: async () => {},
  };
}

export function isReadyMade(spec: string): boolean {
  return spec === 'exact' || /^numeric(?::|$)/.test(spec);
}

type Judge = (input: VerifierInput) => VerifierAnswer;

interface Tolerance {
  readonly value: number;
  readonly isRelative: boolean;
}

function exact(input: VerifierInput): VerifierAnswer {
  const golds = goldAnswers(input.task);
  if (golds === null) return faulty('invalid_ground_truth');
  const response = finalResponse(input);
  if (response === null) return scored(0, { reason: 'no_final_response' });
  return scored(golds.some((gold) => gold.trim() === response.trim()) ? 1 : 0, null);
}

function numeric({ value: tolerance, isRelative }: Tolerance): Judge {
  return function judge(input) {
    const golds = goldAnswers(input.task);
    if (golds === null) return faulty('invalid_ground_truth');
    const numbers = golds.map(numericValue);
    const known = numbers.filter((number) => number !== null);
    if (known.length < numbers.length) return faulty('gold_parse_failed');
    const response = finalResponse(input);
    if (response === null) return scored(0, { reason: 'no_final_response' });
    const answer = numericValue(response);
    if (answer === null) return scored(0, { reason: 'answer_parse_failed' });
    const isNear = known.some((gold) => Math.abs(answer - gold) <= tolerance * (isRelative ? Math.abs(gold) : 1));
    return scored(isNear ? 1 : 0, { answer });
  };
}

function toleranceOf(spec: string): Tolerance {
  const text = spec.slice('numeric:'.length);
  const [, digits = '', percent = ''] = /^(\d*\.?\d+(?:[eE][-+]?\d+)?)(%?)$/.exec(text) ?? [];
  if (digits === '')
    throw new RollstreamError(
      'RS_USAGE',
      `verifier: ${spec} has no tolerance; numeric:0.001, or numeric:1% of the right answer`,
      { facts: { field: 'verifier' } },
    );
  const isRelative = percent === '%';
  return { value: Number(digits) / (isRelative ? 100 : 1), isRelative };
}

function scored(reward: number, report: object | null): VerifierAnswer {
  const said = report === null ? null : JSON.stringify(report);
  return { status: 'scored', rewards: { reward }, report: said, cost: null, durationMs: 0 };
}

function faulty(reason: 'invalid_ground_truth' | 'gold_parse_failed'): VerifierAnswer {
  return { status: 'parse_error', rewards: {}, report: JSON.stringify({ reason }), cost: null, durationMs: 0 };
}
