import { OWN_HEADERS } from './naming/header-naming.ts';

/** Names and values in turn, in their order and case, as node has them. */
export type RawHeaders = readonly string[];

/** Of one connection, not of the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade']);

/** What is put in the place of a header's value, by its lower-case name; null leaves it out. */
export type Replaced = ReadonlyMap<string, string | null>;

/** What goes on of the headers of one side; `replaced` that did not come are added behind. */
export function forwardedHeaders(raw: RawHeaders, replaced: Replaced): string[] {
  const listed = new Set(
    valuesOf(raw, 'connection').flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase())),
  );
  const kept: string[] = [];
  const seen = new Set<string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]];
    const known = name.toLowerCase();
    if (HOP_BY_HOP.has(known) || listed.has(known) || known.startsWith(OWN_HEADERS)) continue;
    const instead = replaced.get(known);
    if (instead === null || (instead !== undefined && seen.has(known))) continue;
    seen.add(known);
    kept.push(name, instead ?? value);
  }
  for (const [name, value] of replaced) if (value !== null && !seen.has(name)) kept.push(name, value);
  return kept;
}

export function valuesOf(raw: RawHeaders, name: string): string[] {
  return raw.flatMap((text, at) => (at % 2 === 0 && text.toLowerCase() === name ? [raw[at + 1] ?? ''] : []));
}

/** Lower case; a name that came twice is joined by `, `. */
export function joinedHeaders(raw: RawHeaders): Record<string, string> {
  const joined: Record<string, string> = Object.create(null);
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? '').toLowerCase();
    const before = joined[name];
    joined[name] = before === undefined ? (raw[at + 1] ?? '') : `${before}, ${raw[at + 1]}`;
  }
  return { ...joined };
}
