import { auditOffline } from './audit-offline.ts';
import { auditReencodeRates } from './audit-reencode.ts';
import { auditStream } from './audit-stream.ts';
import type { Bench, Figure, Size } from './bench.ts';

/** Benches of audits, one a file: add yours. */
const PARTS: ReadonlyArray<(size: Size) => Promise<Figure[]>> = [auditStream, auditReencodeRates, auditOffline];

/** What the audits cost. */
export const audit: Bench = {
  name: 'audit',
  async run(size) {
    const figures: Figure[] = [];
    for (const part of PARTS) figures.push(...(await part(size)));
    return figures;
  },
};
