export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** JSON as Python's json.dumps spaces it, which is how chat templates and models write it. */
export function pythonJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${pythonJson(member)}`);
    return `{${members.join(', ')}}`;
  }
  return JSON.stringify(value);
}
