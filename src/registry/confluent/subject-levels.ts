import { RollstreamError } from '../../errors.ts';
import type { RegistryAnswer, RegistryHttp } from './registry-http.ts';

export const NEEDED_LEVEL = 'BACKWARD_TRANSITIVE';
/** Levels that refuse at least as much. */
const STRICT: ReadonlySet<string> = new Set([NEEDED_LEVEL, 'FULL_TRANSITIVE']);

/** What a subject refuses, whoever registers there. */
export interface SubjectLevels {
  /** Its own; null: that of the registry. */
  levelOf(subject: string): Promise<string | null>;
  /** Before its first version: what another producer registers is held to it from then on. */
  raise(subject: string): Promise<void>;
  /** How many versions it has. */
  versionsOf(subject: string): Promise<number>;
}

export function isStrictEnough(level: string | null): boolean {
  return level !== null && STRICT.has(level);
}

export function createSubjectLevels(http: RegistryHttp): SubjectLevels {
  async function levelOf(subject: string): Promise<string | null> {
    const answer = await http('GET', pathOf(subject));
    const level = answer.status < 300 ? textIn(answer, 'compatibilityLevel') : '';
    return level === '' ? null : level;
  }
  return {
    levelOf,
    async raise(subject) {
      if (isStrictEnough(await levelOf(subject))) return;
      const answer = await http('PUT', pathOf(subject), { compatibility: NEEDED_LEVEL });
      if (answer.status < 300) return;
      // Apicurio refuses the second of two that set it at once: workers that start together on a new registry.
      if (isStrictEnough(await levelOf(subject))) return;
      const message = `subject ${subject}: cannot be set to ${NEEDED_LEVEL}: ${textIn(answer, 'message')}`;
      throw new RollstreamError('RS_CONFIG', message, { facts: { subject, status: answer.status } });
    },
    async versionsOf(subject) {
      const { status, body } = await http('GET', `/subjects/${encodeURIComponent(subject)}/versions`);
      return status < 300 && Array.isArray(body) ? body.length : 0;
    },
  };
}

function pathOf(subject: string): string {
  return `/config/${encodeURIComponent(subject)}`;
}

function textIn({ body }: RegistryAnswer, field: string): string {
  if (typeof body !== 'object' || body === null) return '';
  const value: unknown = Reflect.get(body, field);
  return typeof value === 'string' ? value : '';
}
