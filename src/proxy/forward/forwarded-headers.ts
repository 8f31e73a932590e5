import { OWN_HEADERS } from './naming/header-naming.ts';

/** Names and values in turn, in their order and case, as node has them. */
export type RawHeaders = readonly string[];

/** Of one connection, not of the message (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'proxy-connection', 'te', 'transfer-encoding', 'upgrade']);

/** What is put in the place of a header's value, by its lower-case name; null leaves it out. */
export type Replaced = ReadonlyMap<string, string | null>;

/** What goes on of the headers of one side; `replaced` that did not come are added behind. */
export function forwardedHeaders(raw: RawHeaders, replaced: Replaced): string[] {
  const listed = listedIn(valuesOf(raw, 'connection'));
  const kept: string[] = [];
  const seen = new Set<string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at] ?? '';
    const known = name.toLowerCase();
    if (HOP_BY_HOP.has(known) || listed.has(known) || known.startsWith(OWN_HEADERS)) continue;
    const instead = replaced.get(known);
    if (instead === null || (instead !== undefined && seen.has(known))) continue;
    seen.add(known);
    kept.push(name, instead ?? raw[at + 1] ?? '');
  }
  for (const [name, value] of replaced) if (value !== null && !seen.has(name)) kept.push(name, value);
  return kept;
}

/** Names in the values of `connection`, which are of it too. */
function listedIn(values: readonly string[]): ReadonlySet<string> {
  return new Set(values.flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase())));
}

export function valuesOf(raw: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) {
    if (raw[at]?.length === name.length && raw[at]?.toLowerCase() === name) values.push(raw[at + 1] ?? '');
  }
  return values;
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
