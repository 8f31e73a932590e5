import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, type YAMLMap } from 'yaml';

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

/** Reads YAML; a key that stands twice is refused with both lines, since one of them would be lost unseen. */
export function readYamlText(text: string): YamlText | readonly YamlProblem[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const lineAt = (offset: number) => lines.linePos(offset).line;
  const problems: YamlProblem[] = document.errors.map(({ pos, message }) => ({
    line: lineAt(pos[0]),
    otherLine: null,
    path: '',
    message: message.split('\n')[0] ?? message,
  }));
  if (problems.length > 0) return problems;
  const root: Node | null = document.contents;
  findDuplicates(root, '', (path, first, second) =>
    problems.push({
      line: lineAt(second),
      otherLine: lineAt(first),
      path,
      message: 'the key stands twice',
    }),
  );
  if (problems.length > 0) return problems;
  return {
    value: document.toJS(),
    lineOf(path) {
      const offset = offsetOf(root, path);
      return offset === null ? null : lineAt(offset);
    },
  };
}

type Visit = (path: string, first: number, second: number) => void;

function findDuplicates(node: unknown, at: string, visit: Visit): void {
  if (isSeq(node)) {
    for (const [i, item] of node.items.entries()) findDuplicates(item, `${at}[${i}]`, visit);
    return;
  }
  if (!isMap(node)) return;
  const seen = new Map<string, number>();
  for (const { key, value } of node.items) {
    const name = nameOf(key);
    const path = at === '' ? name : `${at}.${name}`;
    const start = startOf(key) ?? 0;
    const first = seen.get(name);
    if (first !== undefined) visit(path, first, start);
    else seen.set(name, start);
    findDuplicates(value, path, visit);
  }
}

function offsetOf(root: unknown, path: string): number | null {
  let node = root;
  let rest = path;
  let offset = startOf(root);
  while (rest !== '') {
    const step = isMap(node) ? mapStep(node, rest) : isSeq(node) ? listStep(node.items, rest) : null;
    if (step === null) return offset;
    offset = step.offset ?? offset;
    node = step.node;
    rest = step.rest;
  }
  return offset;
}

interface Step {
  readonly node: unknown;
  readonly offset: number | null;
  readonly rest: string;
}

/** The longest key that the path goes on with: a key may hold dots itself. */
function mapStep(map: YAMLMap, path: string): Step | null {
  let best: Step | null = null;
  for (const { key, value } of map.items) {
    const name = nameOf(key);
    const after = path.slice(name.length);
    if (!path.startsWith(name) || (after !== '' && !/^[.[]/.test(after))) continue;
    if (best === null || after.length < best.rest.length)
      best = { node: value, offset: startOf(key), rest: after.replace(/^\./, '') };
  }
  return best;
}

function listStep(items: readonly unknown[], path: string): Step | null {
  const [whole, index] = /^\[(\d+)\]\.?/.exec(path) ?? [];
  if (whole === undefined) return null;
  const node = items[Number(index)];
  return node === undefined ? null : { node, offset: startOf(node), rest: path.slice(whole.length) };
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function startOf(node: unknown): number | null {
  return isScalar(node) || isMap(node) || isSeq(node) ? (node.range?.[0] ?? null) : null;
}
