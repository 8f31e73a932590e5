/** The values of JSON Lines. */
export function jsonLines<T>(text: string): T[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): T => JSON.parse(line));
}
