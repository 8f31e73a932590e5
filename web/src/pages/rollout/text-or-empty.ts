/** Text of a row as it is; empty where there is none. */
export function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
