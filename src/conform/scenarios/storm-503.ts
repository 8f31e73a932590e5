import { refusedTwice } from './refused-twice.ts';

export const storm503 = refusedTwice('storm_503', {
  ...{ status: 503, type: 'ServiceUnavailable', message: 'The server is overloaded.' },
});
