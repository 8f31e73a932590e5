import type { DecisionJson, FiredPolicy, FiredRule } from '../access/explanation.ts';
import type { RecalledPolicy } from './recall-policy.ts';

/** Longest excerpt of a rule that is written over several lines. */
const MOST_LINES = 8;

/** Reasons that no policy can change: what has no tokens cannot train, whatever it says. */
const BEYOND_POLICY: ReadonlySet<string> = new Set([
  ...['no_tokens', 'purpose', 'group_closed', 'higher_attempt', 'record_too_large'],
]);

/** Sections that decide for a whole group, by what `why` begins with. */
const OF_GROUP: Readonly<Record<string, string>> = {
  group_too_small: 'group.min_valid',
  zero_variance: 'group.zero_variance',
  group_fault: 'group.on_fault',
};

/** The rules that decided, each with its line and its words. */
export function firedPolicy(decision: DecisionJson, runId: string, recalled: RecalledPolicy): FiredPolicy {
  const { policy, file } = recalled;
  const { staleness } = policy.scopeOf(runId, decision.env_name);
  return {
    policy_id: policy.id,
    name: policy.name,
    file,
    rules: pathsOf(decision, recalled).map((path) => firedRule(scopedPath(path, decision, runId, recalled), recalled)),
    staleness: { max_lag: staleness.maxLag, over: staleness.over, unknown: staleness.unknown },
  };
}

function pathsOf({ why, rule, reason_code: code, category }: DecisionJson, { policy }: RecalledPolicy): string[] {
  const counted = why[0] ?? '';
  if (BEYOND_POLICY.has(counted)) return [];
  const ofGroup = OF_GROUP[counted];
  if (ofGroup !== undefined) return [ofGroup];
  if (rule.startsWith('staleness.')) return counted === 'stale' ? [rule, 'staleness.max_lag'] : [rule];
  if (rule === '') return [];
  // An exception is laid over the rule of the code: both are needed to see what came of it.
  const below = rule.startsWith('rules[') ? [policy.codes.has(code) ? `codes.${code}` : `categories.${category}`] : [];
  const limit = why.includes('retries_exhausted') || counted.startsWith('retry:') ? ['retries'] : [];
  return [rule, ...below, ...limit];
}

/** The last scope that says so, where a section may stand in `scopes`. */
function scopedPath(path: string, decision: DecisionJson, runId: string, { yaml }: RecalledPolicy): string {
  const [section = '', key = ''] = path.split('.');
  const scopes = fieldOf(yaml.value, 'scopes');
  if (!/^(?:group|staleness)\./.test(path) || !Array.isArray(scopes)) return path;
  const index = scopes.findLastIndex((scope: unknown) => {
    const when = fieldOf(scope, 'when');
    return (
      fieldOf(fieldOf(scope, section), key) !== undefined &&
      names(fieldOf(when, 'env'), decision.env_name) &&
      names(fieldOf(when, 'run'), runId)
    );
  });
  return index < 0 ? path : `scopes[${index}].${path}`;
}

function names(list: unknown, name: string): boolean {
  return list === undefined || (Array.isArray(list) && list.includes(name));
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function firedRule(path: string, { text, yaml }: RecalledPolicy): FiredRule {
  const line = yaml.lineOf(path);
  const lines = text.split('\n');
  const first = line === null ? undefined : lines[line - 1];
  // The line of a path that is not there is that of its deepest part.
  const key = path.split('.').at(-1) ?? '';
  const isWritten = first !== undefined && (/\]$/.test(key) || first.includes(`${key}:`));
  if (line === null || first === undefined || !isWritten) return { path, line: null, text: null };
  const indent = indentOf(first);
  const rest = lines.slice(line, line + MOST_LINES - 1);
  const end = rest.findIndex((next) => next.trim() === '' || /^\s*#/.test(next) || indentOf(next) <= indent);
  const entry = [first, ...(end < 0 ? rest : rest.slice(0, end))].map((entryLine) => entryLine.slice(indent).trimEnd());
  return { path, line, text: entry.join('\n') };
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
