/** A call as a finding names it: `call_0 (write_file)`. */
export function callLabel(callId: string | null, name: string | null): string {
  const id = callId === null || callId === '' ? 'a call' : callId.slice(0, 100);
  return name === null ? id : `${id} (${name.slice(0, 100)})`;
}
