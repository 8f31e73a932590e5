import type { Refused } from '../../processors/delivery/dispatcher.ts';
import { type BatchKey, type LeaseAnswer, type LeaseRequest, noReadyStates } from '../../processors/model/delivery.ts';
import type { Task } from '../../processors/model/delivery-effects.ts';
import { RollstreamError } from '../errors.ts';
import type { Delivery, DeliveryStatus, LeaseCall } from './delivery.ts';
import { foundOf } from './found-of.ts';
import { lineageNumber } from './numbered-versions.ts';
import type { LookAtPayloads } from './ready/look-at-payloads.ts';
import { refusalError } from './refusal-error.ts';
import type { Found, Session } from './session.ts';
import type { TakeRuleOf } from './take-rule.ts';

export interface LocalDeps {
  /** Throws RS_STARTING while this process does not grant. */
  readonly session: () => Session;
  readonly takeRuleOf: TakeRuleOf;
  readonly lookAtPayloads: LookAtPayloads;
  /** Weights of the run were announced. */
  readonly isAnnounced: (run: string) => boolean;
  /** How long a lease lasts that does not say. */
  readonly leaseMs: number;
  /** ms since the epoch. */
  readonly nowMs: () => number;
}

/** The port, in the process that grants. */
export function createLocalDelivery(deps: LocalDeps): Delivery {
  const { session: current, takeRuleOf, lookAtPayloads, isAnnounced, leaseMs, nowMs } = deps;

  const lineageOf = ({ dispatcher }: Session, run: string, asked: number | null): number =>
    asked ?? dispatcher.state.runs.get(run)?.lineage ?? 0;

  const asksOf = (session: Session, call: LeaseCall, beganMs: number) => ({
    kind: JSON.stringify([call.lineage, call.unit, call.dp, call.dp > 0 ? call.most : call.least, call.tokens]),
    key: call.key === null ? null : JSON.stringify(call.key),
    async evaluate(mayWait: boolean): Promise<{ readonly found: Found | null } | null> {
      const rule = await takeRuleOf(call.run);
      const ask = (): LeaseRequest => {
        const { run, consumer, unit, dp, rank, most, least, tokens, microTokens } = call;
        const lineage = lineageOf(session, run, call.lineage);
        const key = call.key ?? nextKey(session, run, consumer);
        const request = { run, lineage, consumer, key, unit, dp, rank, most, least, tokens, microTokens, rule };
        const times = { leaseMs: call.leaseMs ?? leaseMs, waitedMs: Math.max(0, Math.round(nowMs() - beganMs)) };
        return { ...request, ...times };
      };
      const answered = (answer: LeaseAnswer): { readonly found: Found | null } | null => {
        if (answer.kind === 'refused') throw refusalError(answer);
        if (answer.kind === 'leased') return { found: foundOf(session, answer) };
        return answer.kind === 'pending' && mayWait ? null : { found: null };
      };
      // Whose key nobody else can ask for needs no record that it heard "again".
      if (mayWait || call.key === null)
        return session.inTurn(async (perform) => answered(await perform(session.dispatcher.lease(ask(), true))));
      return session.lastLooks.look(call.run, { ask, answered });
    },
  });

  /** What was looked at for the grant is at hand; of a batch that is answered once more it is read. */
  const recordsOf = async ({ entries, payloads }: Found): Promise<Buffer[]> => {
    const missing = entries.filter(({ offset }) => !payloads.has(offset));
    const looked = missing.length === 0 ? null : await lookAtPayloads(missing, Number.POSITIVE_INFINITY);
    const loaded = new Map([...payloads, ...(looked?.payloads ?? [])]);
    return entries.map(({ offset, rollout }) => {
      const record = loaded.get(offset);
      if (record !== undefined) return record;
      const message = `the trajectory of ${rollout} at offset ${offset} of ready is neither in the log nor in the store`;
      throw new RollstreamError('RS_RECORDS_LOST', message, { facts: { record: offset } });
    });
  };

  /** Ends a lease, or gives it more time. */
  const ofLease = (
    lease: string,
    asked: number | null,
    taskOf: (session: Session, run: string, lineage: number) => Task<'ok' | Refused>,
  ): Promise<void> => {
    const session = current();
    return session.inTurn(async (perform) => {
      const run = session.dispatcher.runOfLease(lease);
      if (run === null) throw refusalError({ reason: 'lease_lost' });
      mustBe(await perform(taskOf(session, run, lineageOf(session, run, asked))));
    });
  };

  return {
    async lease(call, signal) {
      const session = current();
      const { found } = await session.rooms.ask(call.run, asksOf(session, call, nowMs()), call.waitMs, signal);
      if (found === null) return null;
      const { payloads: _, ...batch } = found;
      return { ...batch, records: await recordsOf(found) };
    },
    ack: (lease, { lineage: asked, step, version, match }) =>
      ofLease(lease, asked, ({ dispatcher }, run, lineage) =>
        dispatcher.end(run, { lineage, lease, state: 'trained', step, reason: '', version, match }),
      ),
    release: (lease, call) =>
      ofLease(lease, call.lineage, ({ dispatcher }, run, lineage) =>
        dispatcher.end(run, {
          ...{ lineage, lease, state: 'queued', step: 0, reason: '', version: null, match: null },
          isUnseen: call.isUnseen === true,
        }),
      ),
    reject: (lease, { lineage: asked, reason }) =>
      ofLease(lease, asked, ({ dispatcher }, run, lineage) =>
        dispatcher.end(run, { lineage, lease, state: 'trainer_rejected', step: 0, reason, version: null, match: null }),
      ),
    async extend(lease, call) {
      let extended = nowMs() + (call.leaseMs ?? leaseMs);
      await ofLease(lease, call.lineage, function* ({ dispatcher }, run, lineage) {
        const answer = yield* dispatcher.extend(run, lineage, lease, extended);
        // One that is earlier than what it has takes nothing away.
        const { deadline } = dispatcher.state.runs.get(run)?.leases.get(lease)?.grant ?? { deadline: extended };
        extended = Math.max(extended, deadline);
        return answer;
      });
      return extended;
    },
    async runOf(lease) {
      const { dispatcher, inTurn } = current();
      return inTurn(async () => dispatcher.runOfLease(lease));
    },
    seal(run, { lineage: asked, step, tokens }) {
      const session = current();
      return session.inTurn(async (perform) => {
        const lineage = lineageOf(session, run, asked);
        mustBe(await perform(session.dispatcher.seal(run, { lineage, step, tokens })));
      });
    },
    rewind(run, { of, expect, request, tokens }) {
      const session = current();
      return session.inTurn(async (perform) => {
        const opened = await perform(session.dispatcher.rewind(run, { of, expect, request, tokens }));
        if (typeof opened === 'number') return opened;
        throw refusalError(opened);
      });
    },
    fork(run, { of, into, request, tokens }) {
      const session = current();
      return session.inTurn(async (perform) =>
        mustBe(await perform(session.dispatcher.fork(run, { of, into, request, tokens }))),
      );
    },
    async status(run) {
      const { dispatcher, rooms, inTurn } = current();
      const view = await inTurn(async () => dispatcher.view(run));
      if (view === null) return isAnnounced(run) ? { ...NOTHING_YET, run } : null;
      const { lineage, unit, seals: checkpoints, states, last } = view;
      return { run, lineage, unit, checkpoints, states, waiting: rooms.waiting(run), last: Object.fromEntries(last) };
    },
    async checkVersion({ run, lineage, version }) {
      const books = current().dispatcher.state.runs.get(run);
      const number = lineageNumber(lineage);
      const inForce = books?.lineage ?? 0;
      if (number !== null && number < inForce) throw refusalError({ reason: 'discarded_lineage' });
      if (books?.inherited.has(version))
        throw new RollstreamError(
          'RS_DELIVERY_REFUSED',
          `version: ${version} is the name of weights of the run that ${run} was forked from: a name is used once`,
          { facts: { field: 'version', reason: 'inherited' } },
        );
    },
  };
}

const NOTHING_YET: Omit<DeliveryStatus, 'run'> = {
  lineage: 0,
  unit: null,
  checkpoints: [{ lineage: 0, step: 0 }],
  states: noReadyStates(),
  waiting: 0,
  last: {},
};

function mustBe(answer: 'ok' | Refused): void {
  if (answer !== 'ok') throw refusalError(answer);
}

function nextKey({ dispatcher }: Session, run: string, consumer: string): BatchKey {
  const last = dispatcher.state.runs.get(run)?.last.get(consumer);
  return [consumer, last === undefined ? 0 : last[0] + 1, 0];
}
