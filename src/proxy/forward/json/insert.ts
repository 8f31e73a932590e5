import { endOfValue, NOWHERE, scanObject, skipSpace } from './scan.ts';

/** Where its value stands. */
interface Member {
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** The object that a body is. */
export interface BodyObject {
  readonly bytes: Buffer;
  /** The last of each name. */
  readonly members: ReadonlyMap<string, Member>;
  /** Behind the last member, or behind the opening brace. */
  readonly insertAt: number;
}

/** null: it is no object, or no JSON. */
export function bodyObject(bytes: Buffer): BodyObject | null {
  const start = skipSpace(bytes, 0);
  const members = new Map<string, Member>();
  let insertAt = start + 1;
  const end = scanObject(bytes, start, (key, _, valueStart) => {
    const valueEnd = endOfValue(bytes, valueStart);
    members.set(key, { valueStart, valueEnd });
    insertAt = valueEnd;
    return valueEnd;
  });
  if (end === NOWHERE || skipSpace(bytes, end) !== bytes.length) return null;
  return { bytes, members, insertAt };
}

/** The text of a member; null: it is not there. */
export function textOf({ bytes, members }: BodyObject, name: string): string | null {
  const member = members.get(name);
  return member === undefined ? null : bytes.toString('utf8', member.valueStart, member.valueEnd);
}

/** The body with these members as JSON text, in the place of those that it has, else behind them; the rest of it is as it was. */
export function withMembers({ bytes, members, insertAt }: BodyObject, added: ReadonlyMap<string, string>): Buffer {
  const places = [...added].map(([name, value]) => {
    const member = members.get(name);
    if (member !== undefined) return { start: member.valueStart, end: member.valueEnd, text: value };
    return { start: insertAt, end: insertAt, text: `"${name}":${value}` };
  });
  const replaced = places.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  const behind = places.filter(({ start, end }) => end === start).map(({ text }) => text);
  const parts: Buffer[] = [];
  let from = 0;
  const keepTo = (at: number): void => {
    parts.push(bytes.subarray(from, at));
    from = at;
  };
  for (const { start, end, text } of replaced) {
    keepTo(start);
    parts.push(Buffer.from(text));
    from = end;
  }
  keepTo(insertAt);
  if (behind.length > 0) parts.push(Buffer.from(`${members.size > 0 ? ',' : ''}${behind.join(',')}`));
  keepTo(bytes.length);
  return Buffer.concat(parts);
}
