import { analytics } from './analytics.ts';
import { assembleToDecide } from './assemble-to-decide.ts';
import { audit } from './audit.ts';
import type { Bench } from './bench.ts';
import { decide } from './decide.ts';
import { decodeEvent } from './decode-event.ts';
import { delivery } from './delivery.ts';
import { encodeEvent } from './encode-event.ts';
import { endToEnd } from './end-to-end.ts';
import { importLines } from './import-lines.ts';
import { logRecords } from './log-records.ts';
import { openTrajectories } from './open-trajectories.ts';
import { proxy } from './proxy.ts';
import { replay } from './replay.ts';
import { storeInsert } from './store-insert.ts';
import { tenants } from './tenants.ts';

export const BENCHES: readonly Bench[] = [
  assembleToDecide,
  decide,
  audit,
  decodeEvent,
  encodeEvent,
  importLines,
  endToEnd,
  openTrajectories,
  storeInsert,
  logRecords,
  delivery,
  replay,
  analytics,
  tenants,
  proxy,
];
