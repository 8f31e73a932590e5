import { type DestinationStream, type Logger, pino } from 'pino';
import type { LogLevel } from '../config/keys.ts';

/** JSON lines to `destination` (stderr of the process): one a change of state, none a record. Secrets are redacted by name. */
export function createLogger(level: LogLevel, destination: DestinationStream): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['token', '*.token', 'authorization', '*.authorization', 'headers.authorization'],
        censor: '***',
      },
    },
    destination,
  );
}
