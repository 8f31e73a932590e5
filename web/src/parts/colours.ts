/** Colours of series. Those of categories are fixed, so that one means the same on each chart. */
const CATEGORIES: Readonly<Record<string, string>> = {
  completion: '#2f9e62',
  ready: '#2f9e62',
  train: '#2f9e62',
  policy_failure: '#d97706',
  budget: '#7c6ff0',
  harness_fault: '#c2417c',
  env_fault: '#dc4a3d',
  infra_fault: '#b4232a',
  verifier_fault: '#0e8fa8',
  cancelled: '#8a8f98',
  unknown: '#5b6270',
  pass: '#2f9e62',
  warn: '#d97706',
  fail: '#dc4a3d',
  not_auditable: '#8a8f98',
  model: '#2563c9',
  tool_wait: '#d97706',
  sandbox_setup: '#0e8f6e',
  agent_setup: '#5f8f1f',
  rate_limit: '#c2417c',
  weight_sync: '#7c6ff0',
  queue: '#8a6d1f',
  engine_retry: '#dc4a3d',
  cpu: '#0e8fa8',
  verify: '#a56cc1',
  cleanup: '#8a8f98',
  trainer_wait: '#b4232a',
  other: '#9aa3b0',
};

/** Told apart also by people who see few colours (Okabe and Ito, 2008), darkened for a light ground. */
const PALETTE = [
  '#2563c9',
  '#d97706',
  '#0e8f6e',
  '#c2417c',
  '#7c6ff0',
  '#0e8fa8',
  '#8a6d1f',
  '#dc4a3d',
  '#4b5563',
  '#5f8f1f',
];

export function colourOf(name: string, index: number): string {
  return CATEGORIES[name] ?? PALETTE[index % PALETTE.length] ?? '#2563c9';
}

/** A colour of style.css, as it is in the theme. */
export function themeColour(name: 'ink' | 'faint' | 'line' | 'card'): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
