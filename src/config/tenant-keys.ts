import { integerKey, optionalSizeKey, textKey } from './key.ts';

/** Keys of tokens with a scope, and of what one run may take from the others. */
export const TENANT_KEYS = {
  tokensFile: {
    ...textKey<string | null>({
      name: 'http.tokens_file',
      default: null,
      pattern: /./,
      allowed: 'a file',
      doc: 'Tokens with a role and runs, as `rollstream tokens` writes them; one file may serve several servers, which see a change within a second. While it is there every request needs a token.',
    }),
    defaultText: 'tokens.json in the data folder; on Kafka none',
  },
  runEventsPerSecond: integerKey<number | null>({
    name: 'limits.run_events_per_second',
    default: null,
    min: 1,
    max: 10_000_000,
    unit: 'events a second',
    doc: 'Events of one run that are taken over HTTP, over time; over it its requests are answered 429, and those of other runs are not. Unset: no limit.',
  }),
  runInFlightBytes: optionalSizeKey({
    name: 'limits.run_in_flight',
    example: '64MB',
    min: '64KB',
    max: '64GB',
    doc: 'Part of limits.ingest_in_flight that the bodies of one run may take; one body alone may be larger. Unset: all of it.',
  }),
};
