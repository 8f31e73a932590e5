export interface Sides {
  /** What the record should hold: shown first. */
  readonly expected: string;
  /** What it holds. */
  readonly was: string;
}

/** What the two sides of a finding are called. `isExecutedKept`: the source says what was executed; else the audit takes what the parser read for it. */
export function sidesOf(audit: string, found: string, isExecutedKept = true): Sides {
  if (audit === 'tools') {
    const ran = isExecutedKept ? 'was executed' : 'was read by the parser, and called';
    const isUnread = /^(?:malformed|truncated|think_unclosed)/.test(found);
    return { expected: 'the model wrote', was: isUnread ? 'the model wrote' : ran };
  }
  if (audit === 'tokens' && found !== 'render_drift') return { expected: 'was sampled', was: 'in the prompt' };
  if (audit === 'reencode') return { expected: 'encoded again', was: 'was sampled' };
  return { expected: 'expected', was: 'there' };
}
