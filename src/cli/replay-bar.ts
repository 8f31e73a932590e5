import { SingleBar } from 'cli-progress';
import type { ReplayStatus } from '../rescore/replays.ts';
import type { VerifierProgress } from '../verify/verdict-counts.ts';
import type { Io } from './io.ts';

/** How far a replay is, and the verifier before it. */
export interface ReplayBar {
  update(status: ReplayStatus): void;
  judged(progress: VerifierProgress): void;
  /** Takes the bar away, so that text can follow. */
  stop(): void;
}

const silent: ReplayBar = { update() {}, judged() {}, stop() {} };

/** A bar with rate and ETA on stderr; on a terminal only. */
export function createReplayBar(io: Io, quiet: boolean): ReplayBar {
  if (quiet || !io.stderrIsTerminal) return silent;
  const format = '{what} {bar} {percentage}%  {facts}';
  const bar = new SingleBar({ format, stream: process.stderr, clearOnComplete: true, hideCursor: true, fps: 8 });
  let started = false;
  const show = (total: number, done: number, facts: { what: string; facts: string }) => {
    const size = Math.max(1, total, done);
    if (started) {
      bar.setTotal(size);
      bar.update(done, facts);
    } else {
      started = true;
      bar.start(size, done, facts);
    }
  };
  return {
    update({ state, units, units_done, attempts, rate, eta_s, emitted }) {
      if (state === 'emitting') return show(1, 1, { what: 'emitting', facts: `${emitted} trajectories` });
      const facts = [`${attempts} attempts`, ...(rate === null ? [] : [`${rate}/s`]), ...etaOf(eta_s)].join('  ');
      show(units, units_done, { what: units === 0 ? 'planning' : 'replaying', facts });
    },
    judged({ total, done, cached, cost, etaS }) {
      const spent = cost === null ? [] : [`cost ${Number(cost.toPrecision(3))}`];
      const facts = [`${done} judged, ${cached} known`, ...spent, ...etaOf(etaS)].join('  ');
      show(total ?? done, done, { what: 'verifying', facts });
    },
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}

function etaOf(seconds: number | null): string[] {
  if (seconds === null) return [];
  const s = Math.ceil(seconds);
  return [`ETA ${s < 60 ? `${s}s` : `${Math.floor(s / 60)}m${s % 60}s`}`];
}
