/** How a state of a gate is coloured. */
export function stateClass(state: string): 'good' | 'warn' | 'bad' {
  if (state === 'open') return 'good';
  return state === 'hold' || state === 'quarantine' ? 'bad' : 'warn';
}
