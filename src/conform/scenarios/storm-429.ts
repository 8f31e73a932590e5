import { refusedTwice } from './refused-twice.ts';

export const storm429 = refusedTwice('storm_429', {
  ...{ status: 429, type: 'TooManyRequests', message: 'Too many requests.' },
});
