/** A string literal. */
export function sqlString(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`;
}

/** A name as an identifier. */
export function sqlName(name: string): string {
  return `\`${name.replace(/[`\\]/g, '\\$&')}\``;
}
