import { topicNames } from '../config/topics.ts';
import type { ConfluentRegistryOptions } from '../registry/confluent/registry-http.ts';
import { createRegistryHttp } from '../registry/confluent/registry-http.ts';
import { createSubjectLevels, isStrictEnough, NEEDED_LEVEL } from '../registry/confluent/subject-levels.ts';
import { topicSubjects } from '../registry/topic-subjects.ts';
import { type Check, CheckFault, runCheck } from './check.ts';

const REACH =
  'see that it runs and listens there; check registry.url (with its path), registry.username and registry.tls.*';

/** Each subject that this version writes: how strict it is, and whether it is there. */
export async function checkRegistry(options: ConfluentRegistryOptions, topicPrefix: string): Promise<Check[]> {
  const levels = createSubjectLevels(createRegistryHttp(options));
  const checks: Check[] = [];
  for (const { subject } of topicSubjects(topicNames(topicPrefix))) {
    const check = await runCheck(`subject ${subject}`, REACH, async () => {
      const versions = await levels.versionsOf(subject);
      const level = await levels.levelOf(subject);
      if (versions === 0) return 'not registered yet: `rollstream schemas register` does it, as `rollstream up` does';
      if (isStrictEnough(level)) return `${level}, versions: ${versions}`;
      throw new CheckFault(
        `its level is ${level ?? "the registry's"}; ${NEEDED_LEVEL} is needed, or a producer may register what cannot be read`,
        '`rollstream schemas register` sets it',
      );
    });
    checks.push(check);
    // The others would say the same, each after its own time-out.
    if (check.status === 'unreachable') break;
  }
  return checks;
}
