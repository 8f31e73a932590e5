/**
 * Formats of others by sight: all of the patterns stand in the first bytes of such a file. Those that are imported are told
 * where a file of theirs cannot be read.
 */
const SIGHTS: ReadonlyArray<{ readonly name: string; readonly all: readonly RegExp[]; readonly isImported?: true }> = [
  { name: 'ATIF', all: [/"schema_version"\s*:\s*"ATIF-/], isImported: true },
  { name: 'mini-swe-agent', all: [/"trajectory_format"\s*:\s*"mini-swe-agent/], isImported: true },
  { name: 'OpenTelemetry spans', all: [/"(?:resourceSpans|trace_id|traceId)"\s*:/], isImported: true },
  { name: 'a result.json of Harbor', all: [/"trial_name"\s*:/, /"task_checksum"\s*:/], isImported: true },
  { name: 'an Inspect log', all: [/"eval"\s*:\s*\{/, /"(?:eval_id|run_id|task_registry_name)"\s*:/] },
  { name: 'a SWE-agent trajectory', all: [/"trajectory"\s*:\s*\[/, /"(?:action|observation)"\s*:/], isImported: true },
  { name: 'tau-bench results', all: [/^\s*\[\s*\{/, /"traj"\s*:/] },
  { name: 'OpenHands events', all: [/"kind"\s*:\s*"[A-Z]\w{0,40}Event"/] },
  { name: 'verifiers traces', all: [/"nodes"\s*:\s*\[/, /"sampled"\s*:/], isImported: true },
  {
    name: 'verifiers results',
    all: [/"prompt"\s*:/, /"completion"\s*:/, /"(?:answer|task|reward)"\s*:/],
    isImported: true,
  },
  { name: 'a NeMo Gym rollout', all: [/"responses_create_params"\s*:/], isImported: true },
  { name: 'training data of NeMo-RL', all: [/"token_loss_mask"\s*:/], isImported: true },
  { name: 'samples of slime', all: [/"tokens"\s*:/, /"response_length"\s*:/], isImported: true },
  { name: 'rows of SkyRL', all: [/"prompt_token_ids"\s*:/, /"response_ids"\s*:/], isImported: true },
  { name: 'a verl dump', all: [/"input"\s*:/, /"output"\s*:/, /"score"\s*:/] },
];

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1');

/** Bytes of a file that are looked at. */
export const SIGHT_BYTES = 256 * 1024;

/** What a file is that no importer takes. */
export function whatItIs(head: Buffer): string {
  if (head.length === 0) return 'is empty';
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    return 'is UTF-16 text; write it as UTF-8';
  }
  if (head.subarray(0, ZIP.length).equals(ZIP)) {
    return 'is a zip; `python -m rollstream.dumps` makes lines of what torch.save wrote';
  }
  if (head.includes(0)) return 'is not text';
  const text = head.toString('latin1');
  const sight = SIGHTS.find(({ all }) => all.every((pattern) => pattern.test(text)));
  if (sight) return `looks like ${sight.name}${sight.isImported ? '' : ', which this version does not import'}`;
  if (/^\s*[[{]/.test(text)) return 'is JSON of no known format';
  return 'is not JSON Lines';
}

/** It is JSON, as far as it goes, and has what files of a known format have. */
export function looksKnown(head: Buffer): boolean {
  return (
    /^\s*[[{]/.test(head.toString('latin1').replace(/^\xef\xbb\xbf/, '')) && whatItIs(head).startsWith('looks like')
  );
}
