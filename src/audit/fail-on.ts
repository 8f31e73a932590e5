import type { GateLimit } from '../../processors/model/gate.ts';
import { suggestion } from '../config/nearest.ts';
import { RollstreamError } from '../errors.ts';
import { classNames } from './class-words.ts';

/** Rates that are no class of findings. */
export const NAMED_RATES = [
  'template_failures',
  'executed_repairs',
  'unknown_reasons',
  'auditable_coverage',
  'reencode_drift',
] as const;

const FORM = /^([a-z][a-z0-9_]*)\s*([<>])\s*(\d+(?:\.\d+)?|\.\d+)(%?)$/;

/** `class>rate` trips above the rate, `auditable_coverage<rate` below it; a rate is a share or a percentage. */
export function readFailOn(text: string): readonly [string, GateLimit] {
  const [, name, sign, digits, percent] = FORM.exec(text.trim()) ?? [];
  if (name === undefined || digits === undefined) {
    throw usage(`--fail-on ${JSON.stringify(text)}: a class, > or <, and a rate is needed, such as pipeline_drift>0`);
  }
  const known = [...NAMED_RATES, ...classNames()];
  if (!known.includes(name))
    throw usage(`--fail-on: there is no class and no rate called ${name}${suggestion(name, known)}`);
  const rate = Number(digits) / (percent === '%' ? 100 : 1);
  if (rate > 1) throw usage(`--fail-on ${name}: a rate is a share from 0 to 1, or a percentage such as 5%`);
  const [max, min] = sign === '>' ? [rate, null] : [null, rate];
  return [name, { max, min, becomes: 'hold' }];
}

function usage(message: string): RollstreamError {
  return new RollstreamError('RS_USAGE', message, { facts: { field: 'fail-on' } });
}
