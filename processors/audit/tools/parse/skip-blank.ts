/** First character of `[from, to)` that JSON does not skip, else `to`. */
export function skipBlank(text: string, from: number, to: number): number {
  let at = from;
  while (at < to) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
  return Math.min(at, to);
}
