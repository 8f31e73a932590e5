import type { PolicyChange, PolicyDiff } from '../policies/diff-policies.ts';
import type { ListedPolicy } from '../policies/list-policies.ts';
import type { TriedPolicy } from '../policies/try-policy.ts';
import type { Paint } from './paint.ts';
import { drawTable, visible } from './table.ts';

/** Enough of an id to tell policies apart. */
const SHORT = 12;

export function listText(policies: readonly ListedPolicy[], paint: Paint): string {
  const rows = policies.map(({ policy_id, name, shipped, applied_at, decisions, about }) => [
    name,
    policy_id.slice(0, SHORT),
    shipped ? 'yes' : 'no',
    String(decisions),
    applied_at ?? '',
    about,
  ]);
  return drawTable(['name', 'id', 'shipped', 'decisions', 'applied', 'about'], rows, paint);
}

export function diffText({ a, b, changes }: PolicyDiff, paint: Paint): string {
  if (changes.length === 0) return `${visible(a.name)} and ${visible(b.name)} decide alike\n`;
  const rows = changes.map(({ where, field, a: ofA, b: ofB }) => [placeOf({ where, field }), ofA ?? '', ofB ?? '']);
  return drawTable(['what', headOf(a), headOf(b)], rows, paint);
}

function headOf({ name, policy_id }: PolicyDiff['a']): string {
  return `${name} ${policy_id.slice(0, SHORT)}`;
}

function placeOf({ where, field }: Pick<PolicyChange, 'where' | 'field'>): string {
  return where === '' ? field : /^(?:run|env) /.test(where) ? `${field} (${where})` : `${where}.${field}`;
}

export function triedText(tried: TriedPolicy, paint: Paint): string {
  const { changes, rewards, not_recomputed, unseen } = tried;
  const head = `${visible(tried.name)} on ${tried.decisions} decisions of ${visible(tried.run_id)}: ${tried.changed} would change, ${tried.same} would not\n`;
  const table = drawTable(
    ['code', 'was', 'would be', 'decisions', 'why', 'rule', 'such as'],
    changes.map(({ code, from, to, n, why, rule, example }) => [code, from, to, String(n), why, rule, example]),
    paint,
  );
  const lines = [
    ...(rewards.changed === 0
      ? []
      : [`rewards: ${rewards.changed} of those that stay where they are would change${means(rewards)}`]),
    ...not_recomputed.map(({ why, n }) => `not recomputed: ${n} of ${visible(why)}`),
    ...unseen.map((text) => `shows only in force: ${text}`),
  ];
  return [
    head,
    ...(changes.length === 0 ? [] : [`\n${table}`]),
    ...(lines.length === 0 ? [] : ['\n', lines.join('\n'), '\n']),
  ].join('');
}

function means({ mean_before: before, mean_after: after }: TriedPolicy['rewards']): string {
  return before === null || after === null ? '' : `, their mean from ${before.toFixed(4)} to ${after.toFixed(4)}`;
}
