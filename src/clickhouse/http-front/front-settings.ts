import type { ReaderLimits } from '../reader-limits.ts';
import { readerSettings } from '../reader-limits.ts';
import { frontError } from './front-error.ts';

/** Taken and not needed: they steer HTTP, sessions or logs, or ask for what is so anyway. */
const WITHOUT_EFFECT = new Set([
  ...['wait_end_of_query', 'buffer_size', 'send_progress_in_http_headers', 'enable_http_compression', 'readonly'],
  ...['cancel_http_readonly_queries_on_client_disconnect', 'add_http_cors_header', 'replace_running_query'],
  ...['log_queries', 'log_comment', 'async_insert', 'wait_for_async_insert', 'max_query_size'],
]);
/** A client may ask for less than the front gives. */
const LIMITS = new Set([
  'max_execution_time',
  'max_result_rows',
  'max_result_bytes',
  'max_memory_usage',
  'max_threads',
]);
const READING = new Set([
  ...[
    'result_overflow_mode',
    'date_time_output_format',
    'session_timezone',
    'join_use_nulls',
    'final',
    'limit',
    'offset',
  ],
  ...['max_bytes_before_external_sort', 'max_bytes_ratio_before_external_sort'],
  ...['max_block_size', 'max_rows_to_read', 'max_bytes_to_read', 'cast_keep_nullable', 'extremes'],
]);
const WRITING = new Set([
  ...['date_time_input_format', 'max_partitions_per_insert_block', 'optimize_on_insert', 'max_insert_block_size'],
  ...['min_insert_block_size_rows', 'min_insert_block_size_bytes', 'mutations_sync', 'alter_sync'],
]);
/** These name files. */
const FILES = new Set(['output_format_schema', 'input_format_record_errors_file_path']);

/** Settings of a reading statement: the client's, where they cannot loosen anything, then the limits, which lock all. */
export function readSettings(asked: ReadonlyMap<string, string>, limits: ReaderLimits): Array<[string, string]> {
  const fixed: Record<string, string | number> = { ...readerSettings(limits) };
  const taken: Array<[string, string]> = [];
  for (const [name, value] of asked) {
    if (LIMITS.has(name)) {
      const number = Number(value);
      if (number > 0 && number < Number(fixed[name])) fixed[name] = Math.ceil(number);
    } else if (name === 'result_overflow_mode' && (value === 'throw' || value === 'break')) {
      fixed[name] = value;
    } else if (isFormat(name, 'output_format_') || READING.has(name)) {
      taken.push([name, value]);
    } else if (!isWithoutEffect(name) && !WRITING.has(name) && !isFormat(name, 'input_format_')) {
      throw notTaken(name);
    }
  }
  return [...taken, ...Object.entries(fixed).map(([name, value]): [string, string] => [name, String(value)])];
}

/** Settings of a writing statement: the rows are on disk when it answers, whatever the client asks. */
export function writeSettings(asked: ReadonlyMap<string, string>): Array<[string, string]> {
  const taken = [...asked].filter(([name]) => {
    if (isFormat(name, 'input_format_') || name.startsWith('insert_') || WRITING.has(name)) return true;
    if (isWithoutEffect(name) || LIMITS.has(name) || READING.has(name) || isFormat(name, 'output_format_'))
      return false;
    throw notTaken(name);
  });
  return [...taken, ['async_insert', '0']];
}

function isWithoutEffect(name: string): boolean {
  return WITHOUT_EFFECT.has(name) || name.startsWith('http_');
}

function isFormat(name: string, prefix: string): boolean {
  return name.startsWith(prefix) && /^\w+$/.test(name) && !FILES.has(name);
}

function notTaken(name: string): Error {
  return frontError('SETTING_CONSTRAINT_VIOLATION', `Setting ${name} cannot be set here`);
}
