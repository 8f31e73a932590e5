/** Ids: the unit of a rollout (what opens and closes together) is the message key of all its events. */

export interface UnitIdentity {
  readonly run_id: string;
  readonly epoch: number;
  readonly group_id: string | null;
  readonly rollout_id: string;
}

/** `run/epoch/g/group`, or `run/epoch/r/rollout` without a group; each part percent-encoded. */
export function unitOf(identity: UnitIdentity): string {
  const member =
    identity.group_id === null ? `r/${encodePart(identity.rollout_id)}` : `g/${encodePart(identity.group_id)}`;
  return `${encodePart(identity.run_id)}/${identity.epoch}/${member}`;
}

/** encodeURIComponent throws on a lone surrogate, which is legal in an id: those are escaped as their three bytes. */
export function encodePart(part: string): string {
  if (/^[\w.~-]*$/.test(part)) return part;
  if (part.isWellFormed()) return encodeURIComponent(part);
  return Array.from(part, (character) =>
    character.isWellFormed() ? encodeURIComponent(character) : surrogateBytes(character),
  ).join('');
}

function surrogateBytes(character: string): string {
  const code = character.charCodeAt(0);
  return [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]
    .map((byte) => `%${byte.toString(16).toUpperCase()}`)
    .join('');
}
