import type { Schema } from 'avsc';
import { RollstreamError } from '../../errors.ts';
import { canonicalJson } from '../canonical-json.ts';
import type { Registry } from '../port.ts';
import { refuseIncompatible, refuseInvalid } from '../refuse-schema.ts';
import {
  type ConfluentRegistryOptions,
  createRegistryHttp,
  errorCodeOf,
  type RegistryAnswer,
} from './registry-http.ts';
import { createSubjectLevels } from './subject-levels.ts';

const NOT_FOUND = 404;
const CONFLICT = 409;
const NO_SUCH_SCHEMA = 40403;

/** A registry with Confluent's API: Confluent's own, Apicurio, Karapace. Answers about ids are kept: an id never changes. */
export function openConfluentRegistry(options: ConfluentRegistryOptions): Registry {
  const http = createRegistryHttp(options);
  const levels = createSubjectLevels(http);
  const known = new Map<number, Schema>();
  let registering: Promise<unknown> = Promise.resolve();

  async function registered(path: string, text: string): Promise<number | null> {
    const answer = await http('POST', path, { schema: text });
    return answer.status < 300 ? idOf(answer) : null;
  }

  async function refuseBadSuccessor(subject: string, path: string, schema: Schema): Promise<void> {
    const answer = await http('GET', `${path}/versions`);
    if (answer.status === NOT_FOUND) return;
    const versions = Array.isArray(answer.body) ? answer.body.filter(Number.isInteger) : [];
    for (const version of versions) {
      const earlier = schemaIn(await http('GET', `${path}/versions/${version}`));
      if (earlier !== null) refuseIncompatible(subject, version, schema, earlier);
    }
  }

  async function registerNext(subject: string, schema: Schema): Promise<number> {
    refuseInvalid(subject, schema);
    const path = `/subjects/${encodeURIComponent(subject)}`;
    const text = canonicalJson(schema);
    const id = await registered(path, text);
    if (id !== null) return id;
    await refuseBadSuccessor(subject, path, schema);
    await levels.raise(subject);
    const answer = await http('POST', `${path}/versions`, { schema: text });
    if (answer.status === CONFLICT) throw refusal('RS_SCHEMA_INCOMPATIBLE', subject, 'refused by the registry', answer);
    if (answer.status >= 300) throw refusal('RS_INPUT_REFUSED', subject, 'refused by the registry', answer);
    return idOf(answer);
  }

  return {
    register(subject, schema) {
      const next = registering.then(() => registerNext(subject, schema));
      registering = next.catch(() => undefined);
      return next;
    },
    async schemaOf(id) {
      const schema = known.get(id);
      if (schema !== undefined) return schema;
      const answer = await http('GET', `/schemas/ids/${id}`);
      if (errorCodeOf(answer) === NO_SUCH_SCHEMA) return null;
      if (answer.status >= 300) throw refusal('RS_CONFIG', `schema ${id}`, 'refused by the registry', answer);
      const found = schemaIn(answer);
      if (found !== null) known.set(id, found);
      return found;
    },
  };
}

/** null: registered, but not Avro. */
function schemaIn(answer: RegistryAnswer): Schema | null {
  const type = textIn(answer, 'schemaType');
  if (type !== '' && type !== 'AVRO') return null;
  try {
    return JSON.parse(textIn(answer, 'schema'));
  } catch {
    return null;
  }
}

function idOf({ body }: RegistryAnswer): number {
  const id: unknown = typeof body === 'object' && body !== null && 'id' in body ? body.id : undefined;
  if (typeof id === 'number') return id;
  throw new RollstreamError('RS_CONFIG', 'the schema registry answered without an id: is it one?');
}

function textIn({ body }: RegistryAnswer, field: string): string {
  if (typeof body !== 'object' || body === null) return '';
  const value: unknown = Reflect.get(body, field);
  return typeof value === 'string' ? value : '';
}

function refusal(
  code: 'RS_CONFIG' | 'RS_SCHEMA_INCOMPATIBLE' | 'RS_INPUT_REFUSED',
  subject: string,
  what: string,
  answer: RegistryAnswer,
): RollstreamError {
  const message = `subject ${subject}: ${what}: ${textIn(answer, 'message')}`;
  return new RollstreamError(code, message, { facts: { subject, status: answer.status } });
}
