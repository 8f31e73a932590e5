import type { Scope } from '../../processors/model/policy.ts';
import type { DecisionJson, ExplainedGroup } from '../access/explanation.ts';
import { validMembers } from './reasons-in-words.ts';

/** What would have kept it in the loss, where its group or its age decided; null: they did not. */
export function groupRemedies(decision: DecisionJson, group: ExplainedGroup | null, scope: Scope): string[] | null {
  switch (decision.why[0]) {
    case 'group_too_small': {
      const valid = group === null ? 0 : validMembers(group.members);
      const needed = Math.min(scope.group.minValid, group?.size ?? scope.group.minValid);
      const more = needed - valid;
      return [
        `${more} more ${more === 1 ? 'member' : 'members'} of its group with a valid reward: ${valid} of ${group?.size ?? 'unknown'} are valid`,
        ...(valid > 0 ? [`a policy with group.min_valid of ${valid}`] : []),
      ];
    }
    case 'zero_variance':
      return [
        'another reward in its group',
        'a policy with group.zero_variance: pass (it would train with advantage 0)',
      ];
    case 'group_fault':
      return ['a group without a faulted member', 'a policy with group.on_fault: keep'];
    case 'stale': {
      const { maxLag } = scope.staleness;
      return [
        `weights that are at most ${maxLag ?? 'any number of'} versions behind when it is decided`,
        ...(decision.lag === null ? [] : [`a policy with staleness.max_lag of ${decision.lag} or more`]),
      ];
    }
    case 'weights_unknown':
      return [
        'a weights version on every model call, announced by the trainer (POST /v1/versions) before it samples',
        'a policy with staleness.unknown: keep',
      ];
    case 'group_closed':
      return ['its end event before its group closed'];
    default:
      if (decision.why.includes('group_fault'))
        return ['a group without a faulted member', 'a policy with group.on_fault: keep'];
      return null;
  }
}
