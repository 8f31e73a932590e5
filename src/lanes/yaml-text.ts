import { isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

/** A YAML document: its value, and where each path of it stands. */
export interface YamlText {
  readonly value: unknown;
  /** Line of a path such as `rules[2].when.code`, or of the deepest part of it that is there; null: the text is empty. */
  lineOf(path: string): number | null;
}

export interface YamlProblem {
  readonly line: number | null;
  /** The other place, of a key that stands twice. */
  readonly otherLine: number | null;
  readonly path: string;
  readonly message: string;
}

/** No document of ours goes deeper than ten. */
const MOST_DEEP = 64;

/**
 * Reads YAML. Refused as well, with its line: a key that stands twice, since one of them would be lost unseen; anchors and aliases, by
 * which a short text becomes an endless value; and what is nested too deep.
 */
export function readYamlText(text: string): YamlText | readonly YamlProblem[] {
  const lines = new LineCounter();
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const document = parsed(text, lines);
  if (document === null) return [{ line: null, otherLine: null, path: '', message: TOO_DEEP }];
  // Where the parser's own stack ends, all that follows is made up.
  const deep = document.errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (deep !== undefined) return [{ line: lineAt(deep.pos[0]), otherLine: null, path: '', message: TOO_DEEP }];
  const problems: YamlProblem[] = document.errors.map(({ pos, code, message }) => ({
    line: lineAt(pos[0]),
    otherLine: null,
    path: '',
    message:
      code === 'MULTIPLE_DOCS' ? 'a second document begins here: one file is one' : (message.split('\n')[0] ?? message),
  }));
  if (problems.length > 0) return problems;
  const starts = new Map<string, number>();
  walk(
    document.contents,
    '',
    { depth: 0, from: null },
    {
      start: (path, offset) => starts.set(path, offset),
      fault: (path, offset, message, first) =>
        problems.push({ line: lineAt(offset), otherLine: first === null ? null : lineAt(first), path, message }),
    },
  );
  if (problems.length > 0) return problems;
  return {
    value: document.toJS(),
    lineOf(path) {
      let known = path;
      while (known !== '' && !starts.has(known))
        known = known.slice(0, Math.max(0, known.lastIndexOf('.'), known.lastIndexOf('[')));
      const offset = starts.get(known);
      return offset === undefined ? null : lineAt(offset);
    },
  };
}

const TOO_DEEP = `nested deeper than ${MOST_DEEP}`;

/** null: nested so deep that the parser's own stack ends. */
function parsed(text: string, lineCounter: LineCounter) {
  try {
    return parseDocument(text, { lineCounter, uniqueKeys: false });
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface Visit {
  start(path: string, offset: number): void;
  /** `first`: where a key that stands twice stood before. */
  fault(path: string, offset: number, message: string, first: number | null): void;
}

interface Place {
  readonly depth: number;
  /** Where the key stands; an anchor is before its value, maybe lines before. */
  readonly from: number | null;
}

function walk(node: unknown, at: string, { depth, from }: Place, visit: Visit): void {
  if (!isNode(node)) return;
  const start = startOf(node);
  if (at === '' && depth === 0) visit.start(at, start);
  if (isAlias(node)) visit.fault(at, start, `no aliases: write out what *${node.source} stands for`, null);
  else if (node.anchor !== undefined) visit.fault(at, from ?? start, `no anchors: &${node.anchor}`, null);
  if (depth > MOST_DEEP) {
    visit.fault(at, start, TOO_DEEP, null);
    return;
  }
  if (isSeq(node)) {
    for (const [i, item] of node.items.entries()) {
      const path = `${at}[${i}]`;
      visit.start(path, startOf(item) || start);
      walk(item, path, { depth: depth + 1, from: null }, visit);
    }
    return;
  }
  if (!isMap(node)) return;
  const seen = new Map<string, number>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : isAlias(key) ? `*${key.source}` : '?';
    const path = at === '' ? name : `${at}.${name}`;
    const offset = startOf(key);
    const first = seen.get(name);
    if (first !== undefined) visit.fault(path, offset, 'the key stands twice', first);
    else {
      seen.set(name, offset);
      visit.start(path, offset);
    }
    const within = { depth: depth + 1, from: offset };
    walk(key, path, within, visit);
    walk(value, path, within, visit);
  }
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}
