import { CLASS_WORDS } from '../audit/class-words.ts';
import { environmentNameOf } from '../config/key.ts';
import { ALL_KEYS } from '../config/keys.ts';
import { ERRORS } from '../errors.ts';
import { METRICS } from '../observe/metric-table.ts';
import { markdownTable } from './markdown-table.ts';

/** Pages of docs/ that are made from the code alone, by file name. */
export function generatedPages(): ReadonlyMap<string, string> {
  return new Map([
    ['configuration.md', configurationPage()],
    ['metrics.md', metricsPage()],
    ['errors.md', errorsPage()],
    ['audit-classes.md', auditClassesPage()],
  ]);
}

const MADE = '<!-- Made from the code by `npm run docs`. Do not edit. -->\n';

function configurationPage(): string {
  const rows = ALL_KEYS.map(({ name, defaultText, allowed, doc }) => [
    `\`${name}\``,
    `\`${environmentNameOf(name)}\``,
    defaultText,
    allowed,
    doc,
  ]);
  return `# Configuration

${MADE}
A flag outranks the environment, which outranks the file of \`--config FILE\` (YAML; dots are levels), which outranks the default. Unknown keys are errors. Durations and sizes carry a unit (\`30s\`, \`256MB\`).

${markdownTable(['key', 'environment', 'default', 'allowed', 'what it is, and what it costs'], rows)}`;
}

function metricsPage(): string {
  const rows = Object.values(METRICS).map(({ name, help, labelNames }) => [
    `\`${name}\``,
    labelNames.map((label) => `\`${label}\``).join(', '),
    help,
  ]);
  return `# Metrics\n\n${MADE}\n\`GET /metrics\`, in Prometheus' text format, beside those of the Node process.\n\n${markdownTable(['metric', 'labels', 'meaning'], rows)}`;
}

function errorsPage(): string {
  const rows = Object.entries(ERRORS).map(([code, { exit, status, retriable }]) => [
    `\`${code}\``,
    String(exit),
    String(status),
    retriable ? 'yes' : 'no',
  ]);
  return `# Error codes\n\n${MADE}\nFaults of a record are values, not errors: they are in \`step_faults\` and \`dead_letters\`.\n\n${markdownTable(['code', 'exit code', 'HTTP status', 'worth another try'], rows)}`;
}

function auditClassesPage(): string {
  const rows = Object.entries(CLASS_WORDS).map(([name, { audit, meaning, remedy }]) => [
    `\`${name.slice(name.indexOf('/') + 1)}\``,
    audit,
    meaning,
    remedy,
  ]);
  return `# Classes of findings\n\n${MADE}\nWhat the audits find, by the name that a policy and a gate know it by. See [audit](audit.md).\n\n${markdownTable(['class', 'audit', 'what it says of a rollout', 'what to do'], rows)}`;
}
