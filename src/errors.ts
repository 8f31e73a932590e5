/** Every error that leaves a component, by code: what the process exits with, what HTTP answers, whether trying again can help. */
export const ERRORS = {
  RS_USAGE: { exit: 2, status: 400, retriable: false },
  RS_CONFIG: { exit: 2, status: 400, retriable: false },
  RS_CHECK_FAILED: { exit: 1, status: 409, retriable: false },
  RS_INPUT_REFUSED: { exit: 4, status: 422, retriable: false },
  RS_FILE_UNREADABLE: { exit: 2, status: 400, retriable: false },
  RS_NOT_FOUND: { exit: 1, status: 404, retriable: false },
  RS_UNAUTHORIZED: { exit: 2, status: 401, retriable: false },
  RS_FORBIDDEN: { exit: 2, status: 403, retriable: false },
  RS_TOO_MANY_ATTEMPTS: { exit: 3, status: 429, retriable: true },
  RS_TOO_LARGE: { exit: 4, status: 413, retriable: false },
  RS_DATA_OWNED: { exit: 3, status: 503, retriable: true },
  RS_DATA_VERSION: { exit: 2, status: 500, retriable: false },
  RS_DISK_FULL: { exit: 3, status: 507, retriable: true },
  RS_SERVER_UNREACHABLE: { exit: 3, status: 502, retriable: true },
  RS_UPSTREAM_UNREACHABLE: { exit: 3, status: 502, retriable: true },
  RS_UPSTREAM_TIMEOUT: { exit: 3, status: 504, retriable: true },
  RS_BROKER_UNREACHABLE: { exit: 3, status: 503, retriable: true },
  RS_OFFSET_OUT_OF_RANGE: { exit: 3, status: 500, retriable: false },
  RS_RECORDS_LOST: { exit: 3, status: 500, retriable: false },
  RS_COMMIT_LOST: { exit: 3, status: 500, retriable: false },
  RS_UNKNOWN_TOPIC: { exit: 2, status: 404, retriable: false },
  RS_LOG_DAMAGED: { exit: 3, status: 500, retriable: false },
  RS_LOG_FAILED: { exit: 3, status: 500, retriable: true },
  RS_RECORD_TOO_LARGE: { exit: 4, status: 413, retriable: false },
  RS_FENCED: { exit: 3, status: 503, retriable: false },
  RS_REGISTRY_UNREACHABLE: { exit: 3, status: 503, retriable: true },
  RS_SCHEMA_INCOMPATIBLE: { exit: 1, status: 409, retriable: false },
  RS_STORE_UNREACHABLE: { exit: 3, status: 503, retriable: true },
  RS_STORE_REFUSED: { exit: 3, status: 500, retriable: false },
  RS_QUERY_REFUSED: { exit: 2, status: 400, retriable: false },
  RS_QUERY_FAILED: { exit: 2, status: 400, retriable: false },
  RS_TOKENIZER: { exit: 2, status: 400, retriable: false },
  RS_TEMPLATE_FAILED: { exit: 1, status: 422, retriable: false },
  RS_TEMPLATE_LIMIT: { exit: 1, status: 422, retriable: false },
  RS_LEASE_LOST: { exit: 1, status: 409, retriable: false },
  RS_LINEAGE_DISCARDED: { exit: 1, status: 409, retriable: false },
  RS_DELIVERY_REFUSED: { exit: 1, status: 409, retriable: false },
  RS_RUN_CLOSED: { exit: 1, status: 409, retriable: false },
  RS_BLOB_DAMAGED: { exit: 3, status: 500, retriable: false },
  RS_BODY_STALLED: { exit: 3, status: 408, retriable: true },
  RS_INGEST_FULL: { exit: 3, status: 429, retriable: true },
  RS_RUN_QUOTA: { exit: 3, status: 429, retriable: true },
  RS_BUSY: { exit: 3, status: 503, retriable: true },
  RS_GATE_CLOSED: { exit: 3, status: 503, retriable: true },
  RS_STARTING: { exit: 3, status: 503, retriable: true },
  RS_INTERRUPTED: { exit: 3, status: 503, retriable: true },
  RS_INTERNAL: { exit: 3, status: 500, retriable: false },
  RS_CLOSED: { exit: 3, status: 503, retriable: false },
} as const;

export type ErrorCode = keyof typeof ERRORS;

/** A failure outside the record path. On the record path errors are values (processors/model/outcome.ts). */
export class RollstreamError extends Error {
  readonly code: ErrorCode;
  /** Facts for machines: the field, the record, the path. */
  readonly facts: Readonly<Record<string, string | number>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; facts?: Record<string, string | number> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'RollstreamError';
    this.code = code;
    this.facts = options.facts ?? {};
  }

  get exitCode(): number {
    return ERRORS[this.code].exit;
  }
  get status(): number {
    return ERRORS[this.code].status;
  }
  get retriable(): boolean {
    return ERRORS[this.code].retriable;
  }
}
