import { type ErrorCode, RollstreamError } from '../../errors.ts';

/** Errors of the protocol that trying again does not heal, by kafkajs's name. */
const CODES: Readonly<Record<string, ErrorCode>> = {
  OFFSET_OUT_OF_RANGE: 'RS_OFFSET_OUT_OF_RANGE',
  UNKNOWN_TOPIC_OR_PARTITION: 'RS_UNKNOWN_TOPIC',
  INVALID_TOPIC_EXCEPTION: 'RS_UNKNOWN_TOPIC',
  MESSAGE_TOO_LARGE: 'RS_RECORD_TOO_LARGE',
  RECORD_LIST_TOO_LARGE: 'RS_RECORD_TOO_LARGE',
  INVALID_RECORD: 'RS_INPUT_REFUSED',
  OFFSET_METADATA_TOO_LARGE: 'RS_TOO_LARGE',
  INVALID_PRODUCER_EPOCH: 'RS_FENCED',
  INVALID_PRODUCER_ID_MAPPING: 'RS_FENCED',
  TRANSACTION_COORDINATOR_FENCED: 'RS_FENCED',
  // Its transaction was ended for it: it had timed out.
  INVALID_TXN_STATE: 'RS_FENCED',
  CORRUPT_MESSAGE: 'RS_LOG_DAMAGED',
};

/** A setting is wrong: of the client, the topic, the permissions or the certificates. */
const SETTINGS =
  /AUTHORIZATION_FAILED$|^(?:UNSUPPORTED_SASL_MECHANISM|ILLEGAL_SASL_STATE|SASL_AUTHENTICATION_FAILED|SECURITY_DISABLED|UNSUPPORTED_VERSION|INVALID_CONFIG|INVALID_PARTITIONS|INVALID_REPLICATION_FACTOR|POLICY_VIOLATION|INVALID_TRANSACTION_TIMEOUT|INVALID_SESSION_TIMEOUT|INVALID_GROUP_ID|INCONSISTENT_GROUP_PROTOCOL)$|^(?:SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|ERR_TLS|ERR_SSL|ERR_OSSL)/;

/** Not of the protocol: the connection or a coordinator is missing. */
const UNREACHABLE =
  /^KafkaJS(?:Connection|RequestTimeout|BrokerNotFound|LockTimeout|GroupCoordinatorNotFound|Metadata|NoBroker)/;

/** What kafkajs threw as one of ours; RS_BROKER_UNREACHABLE when trying again can help. */
export function toBrokerError(cause: unknown, what: string): RollstreamError {
  if (cause instanceof RollstreamError) return cause;
  return new RollstreamError(codeOf(cause), `${what}: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  });
}

/** The protocol's name of an error, such as `CONCURRENT_TRANSACTIONS`; '' for others. */
export function typeOf(error: unknown): string {
  return text(error, 'type');
}

/** The same request, sent again, may succeed. A leader that does not know its partition has not heard of it yet. */
export function isPassing(error: unknown): boolean {
  return typeOf(error) === 'UNKNOWN_TOPIC_OR_PARTITION' || toBrokerError(error, '').code === 'RS_BROKER_UNREACHABLE';
}

function codeOf(error: unknown): ErrorCode {
  const type = typeOf(error);
  const name = text(error, 'name');
  if (SETTINGS.test(type) || SETTINGS.test(text(error, 'code')) || name === 'KafkaJSSASLAuthenticationError') {
    return 'RS_CONFIG';
  }
  const known = CODES[type];
  if (known !== undefined) return known;
  if (UNREACHABLE.test(name)) return 'RS_BROKER_UNREACHABLE';
  const retriable = typeof error === 'object' && error !== null && 'retriable' in error && error.retriable === true;
  return type !== '' && retriable ? 'RS_BROKER_UNREACHABLE' : 'RS_INTERNAL';
}

function text(error: unknown, field: 'type' | 'name' | 'code'): string {
  if (typeof error !== 'object' || error === null) return '';
  const value: unknown = Reflect.get(error, field);
  return typeof value === 'string' ? value : '';
}
