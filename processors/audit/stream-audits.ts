import type { StepEvent } from '../../schemas/generated/step-event.ts';
import type { Attempt } from '../model/attempt.ts';
import type { Audits } from '../model/audit-summary.ts';
import { auditNumbers } from './numbers.ts';
import { auditTermination } from './termination.ts';
import { auditTokens, watchTokens } from './tokens.ts';
import { auditTools } from './tools/audit-tools.ts';
import { watchTools } from './tools/watch-tools.ts';
import { auditWall } from './wall.ts';
import { watchNumbers } from './watch-numbers.ts';
import { watchWall } from './watch-wall.ts';

/** The audits that see every attempt of a lane; they need no tokenizer. `more` adds to them, or stands for one of them. */
export function createStreamAudits(more: Audits['byName'] = {}): Audits {
  return {
    watch,
    byName: {
      tokens: auditTokens,
      tools: auditTools,
      termination: auditTermination,
      numbers: auditNumbers,
      wall: auditWall,
      ...more,
    },
  };
}

function watch(attempt: Attempt, event: StepEvent): void {
  if (event.model_call !== null) {
    watchTokens(attempt, event.model_call);
    watchNumbers(attempt, event.model_call);
  }
  watchTools(attempt, event);
  watchWall(attempt, event);
}
