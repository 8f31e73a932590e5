import { integerKey, listKey } from './key.ts';

/** Keys of the audits that need a tokenizer. */
export const AUDIT_KEYS = {
  tokenizers: listKey({
    name: 'audits.tokenizers',
    default: [],
    pattern: /^[A-Za-z0-9._-]{1,100}=\S(?:.*\S)?$/,
    items: 'name=folder',
    doc: 'Folders with tokenizer.json and tokenizer_config.json, for the re-encode and the template audit and the texts of tokens on the web page; each costs a worker about 160 MB. Attempts are matched by the SHA-256 of tokenizer.json.',
  }),
  auditSample: integerKey({
    name: 'audits.sample',
    default: 10,
    min: 0,
    max: 100,
    unit: 'percent',
    doc: 'Share of the attempts that are audited with a tokenizer where the policy does not wait for it, by a hash of the rollout id; all of them take about a core for a million tokens a second.',
  }),
  auditWorkers: integerKey({
    name: 'audits.workers',
    default: 1,
    min: 1,
    max: 64,
    unit: 'threads',
    doc: 'Threads that audit with a tokenizer, in each process.',
  }),
};
