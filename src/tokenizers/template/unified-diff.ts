const CONTEXT_LINES = 3;

/** A patch as `diff -u` writes it, of two texts whose lines stand in for one another one by one. */
export function unifiedDiff(name: string, before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const changed = old.flatMap((line, at) => (line === now[at] ? [] : [at]));
  if (changed.length === 0) return '';
  const out = [`--- a/${name}`, `+++ b/${name}`];
  for (const [first, last] of hunksOf(changed)) {
    const from = Math.max(0, first - CONTEXT_LINES);
    const to = Math.min(old.length, last + CONTEXT_LINES + 1);
    out.push(`@@ -${from + 1},${to - from} +${from + 1},${to - from} @@`);
    for (let at = from; at < to; ) {
      if (old[at] === now[at]) {
        out.push(` ${old[at]}`);
        at += 1;
        continue;
      }
      let end = at;
      while (end < to && old[end] !== now[end]) end += 1;
      for (let line = at; line < end; line++) out.push(`-${old[line]}`);
      for (let line = at; line < end; line++) out.push(`+${now[line]}`);
      at = end;
    }
  }
  return `${out.join('\n')}\n`;
}

/** First and last changed line of each: lines whose contexts touch are of one. */
function hunksOf(changed: readonly number[]): ReadonlyArray<readonly [number, number]> {
  const hunks: Array<[number, number]> = [];
  for (const at of changed) {
    const last = hunks.at(-1);
    if (last !== undefined && at - last[1] <= 2 * CONTEXT_LINES) last[1] = at;
    else hunks.push([at, at]);
  }
  return hunks;
}
