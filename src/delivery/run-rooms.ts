import type { Alarm } from './waiting/alarm.ts';
import type { Asks } from './waiting/parked.ts';
import { createWaitingRoom, type WaitingRoom } from './waiting/waiting-room.ts';

/** Who waits, by run. */
export interface RunRooms<Answer> {
  ask(run: string, asks: Asks<Answer>, waitMs: number, signal: AbortSignal): Promise<Answer>;
  /** More may be there for those who wait in the run. */
  changed(run: string): void;
  /** A lease of the run was granted, extended or ended: who waits is woken when the next one runs out. */
  leasesMoved(run: string): void;
  /** Runs in which somebody waits. */
  runs(): string[];
  waiting(run: string): number;
  empty(error: unknown): void;
}

export interface RoomsDeps {
  readonly alarm: Alarm;
  /** ms since the epoch. */
  readonly nowMs: () => number;
  /** When a lease of the run runs out; null: none does. */
  readonly nextDeadlineMs: (run: string) => number | null;
  readonly givenUp: () => Error;
}

/** Between two looks at a lease that should have run out: clocks of timers and of deadlines differ by a little. */
const LEAST_MS = 20;

export function createRunRooms<Answer>({ alarm, nowMs, nextDeadlineMs, givenUp }: RoomsDeps): RunRooms<Answer> {
  interface Room {
    readonly waiting: WaitingRoom<Answer>;
    /** Requests that are not answered, whether they wait yet or not. */
    asking: number;
    /** When a lease runs out, and what takes the alarm back. */
    deadlineMs: number | null;
    stop: () => void;
  }
  const rooms = new Map<string, Room>();

  const arm = (run: string, room: Room): void => {
    const next = room.waiting.size === 0 ? null : nextDeadlineMs(run);
    if (next === room.deadlineMs) return;
    room.stop();
    room.deadlineMs = next;
    room.stop = () => undefined;
    if (next === null) return;
    room.stop = alarm(Math.max(next - nowMs(), LEAST_MS), () => {
      room.deadlineMs = null;
      room.waiting.changed();
      arm(run, room);
    });
  };

  const open = (run: string): Room => {
    const waiting = createWaitingRoom<Answer>({ alarm, givenUp, parked: () => arm(run, room) });
    const room: Room = { waiting, asking: 0, deadlineMs: null, stop: () => undefined };
    rooms.set(run, room);
    return room;
  };

  return {
    async ask(run, asks, waitMs, signal) {
      const room = rooms.get(run) ?? open(run);
      room.asking += 1;
      try {
        return await room.waiting.ask(asks, waitMs, signal);
      } finally {
        room.asking -= 1;
        if (room.asking === 0) {
          room.stop();
          rooms.delete(run);
        }
      }
    },
    changed: (run) => rooms.get(run)?.waiting.changed(),
    leasesMoved(run) {
      const room = rooms.get(run);
      if (room !== undefined) arm(run, room);
    },
    runs: () => [...rooms.keys()],
    waiting: (run) => rooms.get(run)?.waiting.size ?? 0,
    empty(error) {
      for (const { waiting } of rooms.values()) waiting.empty(error);
    },
  };
}
