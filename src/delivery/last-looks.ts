import type { LeaseAnswer, LeaseRequest } from '../../processors/model/delivery.ts';
import type { Task } from '../../processors/model/delivery-effects.ts';
import type { Session } from './session.ts';

/** A look of one whose wait is over. `ask` is called in its turn, `answered` in the same. */
export interface LastLook<T> {
  readonly ask: () => LeaseRequest;
  readonly answered: (answer: LeaseAnswer) => T;
}

export interface LastLooks {
  look<T>(run: string, look: LastLook<T>): Promise<T>;
}

interface Asked {
  readonly ask: () => LeaseRequest;
  readonly settle: (answer: LeaseAnswer) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * All of a run that ask before their turn comes are looked at together: 1,000 waits that end in one moment cost one write, not
 * 1,000. What fails one of them fails all: they ask again.
 */
export function createLastLooks(
  inTurn: Session['inTurn'],
  lastLooks: (run: string, requests: readonly LeaseRequest[]) => Task<LeaseAnswer[]>,
): LastLooks {
  const waiting = new Map<string, Asked[]>();

  const turn = async (run: string, all: Asked[]): Promise<void> => {
    const close = (): void => {
      if (waiting.get(run) === all) waiting.delete(run);
    };
    try {
      await inTurn(async (perform) => {
        close();
        const answers = await perform(
          lastLooks(
            run,
            all.map(({ ask }) => ask()),
          ),
        );
        for (const [index, answer] of answers.entries()) all[index]?.settle(answer);
      });
    } catch (error) {
      close();
      for (const { fail } of all) fail(error);
    }
  };

  return {
    look: (run, { ask, answered }) =>
      new Promise((resolve, reject) => {
        const settle = (answer: LeaseAnswer): void => {
          try {
            resolve(answered(answer));
          } catch (error) {
            reject(error);
          }
        };
        const asked: Asked = { ask, settle, fail: reject };
        const others = waiting.get(run);
        if (others !== undefined) {
          others.push(asked);
          return;
        }
        const all = [asked];
        waiting.set(run, all);
        void turn(run, all);
      }),
  };
}
