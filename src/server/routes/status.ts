import { Hono } from 'hono';
import type { Readiness } from '../readiness.ts';

export interface StatusAnswer {
  readonly version: string;
  /** As /readyz: false with the reason, which names a service that does not answer, and a lane that is stuck. */
  readonly readiness: { readonly ready: boolean; readonly reason: string };
  /** Of this process. */
  readonly lanes: ReadonlyArray<{
    readonly topic: string;
    readonly partition: number;
    /** First offset that is not committed yet. */
    readonly frontier: number;
    /** Of the log. */
    readonly end: number;
    /** Records between them. */
    readonly lag: number;
    readonly open_attempts: number;
    readonly restored: boolean;
  }>;
}

export interface StatusDeps {
  readonly readiness: () => Readiness;
  /** Name of rollout.steps. */
  readonly stepsTopic: string;
  readonly version: string;
}

/** `GET /v1/status`: how far the lanes of this process are. */
export function statusRoutes({ readiness, stepsTopic, version }: StatusDeps): Hono {
  return new Hono().get('/status', (c) => {
    const { ready, reason, lanes } = readiness();
    const answer: StatusAnswer = {
      version,
      readiness: { ready, reason },
      lanes: lanes.map(({ partition, frontier, logEnd, openAttempts, restored }) => ({
        topic: stepsTopic,
        partition,
        frontier,
        end: logEnd,
        lag: Math.max(0, logEnd - frontier),
        open_attempts: openAttempts,
        restored,
      })),
    };
    return c.json(answer);
  });
}
