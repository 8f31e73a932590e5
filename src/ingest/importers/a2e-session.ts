import type { JsonObject, JsonValue } from '../exact-number.ts';
import { setOwn } from '../exact-number.ts';
import type { SessionFacts } from './a2e-episode.ts';
import type { A2eMessage } from './a2e-message.ts';

/** Messages that are of a session and of no episode. */
export interface A2eSession {
  /** False: it is none of them. */
  take(message: A2eMessage): boolean;
  facts(): SessionFacts;
}

/** Heartbeats say nothing about a rollout; `env/exp/list` tells again what the wire has told. */
const PASSED_OVER = ['ping', 'pong', 'shutdown', 'tool/list/req', 'env/exp/list/req', 'env/exp/list/resp'];

export function createA2eSession(): A2eSession {
  let handshake: JsonObject | undefined;
  let tools: JsonValue | undefined;
  const spaces = new Map<string, JsonObject>();
  const askedSpaces = new Map<string, string>();

  return {
    take(message) {
      const { type, value, id, reqId } = message;
      if (PASSED_OVER.includes(type)) return true;
      if (type === 'handshake/req' || type === 'handshake/resp') {
        handshake = { ...(type === 'handshake/req' ? {} : handshake) };
        setOwn(handshake, type === 'handshake/req' ? 'request' : 'response', withoutToken(value));
      } else if (type === 'tool/list/resp') tools = value.tools;
      else if (type === 'env/space/req') {
        if (id !== null && typeof value.env_name === 'string') askedSpaces.set(id, value.env_name);
      } else if (type === 'env/space/resp') {
        // Their answer has no req_id: it is of the request that has waited longest.
        const asked = reqId ?? askedSpaces.keys().next().value;
        const name = asked === undefined ? undefined : askedSpaces.get(asked);
        if (asked !== undefined) askedSpaces.delete(asked);
        if (name !== undefined) spaces.set(name, value);
      } else return false;
      return true;
    },
    facts: () => ({ handshake, tools, spaces: new Map(spaces) }),
  };
}

/** It opens the host to whoever reads it. */
function withoutToken({ auth_token, ...rest }: JsonObject): JsonObject {
  return auth_token === undefined || auth_token === '' ? rest : { ...rest, auth_token: '(left out)' };
}
