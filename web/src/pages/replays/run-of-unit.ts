/** `run/epoch/g/group`, its parts percent-encoded: the run. */
export function runOfUnit(unit: string): string {
  const [run = ''] = unit.split('/', 1);
  try {
    return decodeURIComponent(run);
  } catch {
    return run;
  }
}
