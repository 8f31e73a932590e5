export interface Sides {
  /** What the record should hold: shown first. */
  readonly expected: string;
  /** What it holds. */
  readonly was: string;
}

/** What the two sides of a finding are called, as the page of a rollout calls them. */
export function sidesOf(audit: string, found: string): Sides {
  if (audit === 'tools')
    return /^(?:malformed|truncated|think_unclosed)/.test(found)
      ? { expected: 'the model wrote', was: 'the model wrote' }
      : { expected: 'the model wrote', was: 'was executed' };
  if (audit === 'tokens' && found !== 'render_drift') return { expected: 'was sampled', was: 'in the prompt' };
  if (audit === 'reencode') return { expected: 'encoded again', was: 'was sampled' };
  return { expected: 'expected', was: 'there' };
}
