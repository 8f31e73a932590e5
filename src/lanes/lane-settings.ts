/** Settings of the lanes, as the configuration resolved them. `ms` are by the lane clock. */
export interface LaneSettings {
  /** Partitions of rollout.steps; fixed for the life of the topic. */
  readonly partitions: number;
  /** In front of every topic name; '' for none. */
  readonly topicPrefix: string;
  readonly deadlines: {
    /** A missing seq is waited for this long. */
    readonly gapMs: number;
    /** A step with seq > 0 waits this long for the start of its rollout. */
    readonly orphanMs: number;
    /** After the end, the required verdicts are waited for this long. */
    readonly verdictMs: number;
    /** An attempt without any event for this long lost its worker. */
    readonly idleMs: number;
    /** A group of known size waits this long for its members after the first has finished. */
    readonly groupMs: number;
    /** No unit stays open longer. */
    readonly lifetimeMs: number;
  };
  /** Events held back for a missing seq, in one attempt. */
  readonly reorderEvents: number;
  /** A flush begins when the first of the three is reached. */
  readonly flush: {
    readonly intervalMs: number;
    readonly maxBytes: number;
    readonly maxRows: number;
  };
  /** Bytes read and not yet committed, over all lanes; reading stops there. */
  readonly inFlightBytes: number;
  /** Absent: no audit with a tokenizer. */
  readonly audits?: AuditSettings;
  /** YAML; absent: the policy that is shipped. */
  readonly policyFile?: string;
  /** YAML; absent: the taxonomy that is shipped. */
  readonly taxonomyFile?: string;
}

export interface AuditSettings {
  readonly tokenizers: ReadonlyArray<{ readonly name: string; readonly folder: string }>;
  /** Share of the attempts that are audited with a tokenizer where no policy waits for it, 0 to 1. */
  readonly sampledShare: number;
  /** Threads. */
  readonly workers: number;
}
