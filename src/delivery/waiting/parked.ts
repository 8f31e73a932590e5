/** A request that waits for more of its run. */
export interface Parked<Answer> {
  readonly asks: Asks<Answer>;
  /** Its wait is over: the next evaluation is the last. */
  isOver: boolean;
  /** It is being evaluated. */
  isAsked: boolean;
  /** It was answered, refused or given up. */
  isDone: boolean;
  readonly settle: (answer: Answer) => void;
  readonly fail: (error: unknown) => void;
}

export interface Asks<Answer> {
  /** Requests of one kind find enough, or not, together: of those only the first is evaluated. */
  readonly kind: string;
  /** Requests of one key have one answer; null: nobody else asks for it. */
  readonly key: string | null;
  /** null: not enough so far, and it may wait. */
  readonly evaluate: (mayWait: boolean) => Promise<Answer | null>;
}

/** Who waits, in order of arrival, by kind and by key. */
export interface Queue<Answer> {
  readonly size: number;
  add(parked: Parked<Answer>): void;
  remove(parked: Parked<Answer>): void;
  /** The first that nobody evaluates, of a kind that is not among these. */
  first(except: ReadonlySet<string>): Parked<Answer> | null;
  ofKey(key: string): Array<Parked<Answer>>;
  all(): Array<Parked<Answer>>;
}

/** Kinds are few, requests many: 1,000 that wait for the same cost one look at the first of them. */
export function createQueue<Answer>(): Queue<Answer> {
  const places = new Map<Parked<Answer>, number>();
  const kinds = new Map<string, Set<Parked<Answer>>>();
  const keys = new Map<string, Set<Parked<Answer>>>();
  let arrivals = 0;

  const put = (index: Map<string, Set<Parked<Answer>>>, name: string, parked: Parked<Answer>): void => {
    const of = index.get(name) ?? new Set();
    index.set(name, of.add(parked));
  };
  const take = (index: Map<string, Set<Parked<Answer>>>, name: string, parked: Parked<Answer>): void => {
    const of = index.get(name);
    of?.delete(parked);
    if (of?.size === 0) index.delete(name);
  };
  const firstIdle = (of: ReadonlySet<Parked<Answer>>): Parked<Answer> | null => {
    for (const parked of of) if (!parked.isAsked) return parked;
    return null;
  };

  return {
    get size() {
      return places.size;
    },
    add(parked) {
      places.set(parked, arrivals++);
      put(kinds, parked.asks.kind, parked);
      if (parked.asks.key !== null) put(keys, parked.asks.key, parked);
    },
    remove(parked) {
      places.delete(parked);
      take(kinds, parked.asks.kind, parked);
      if (parked.asks.key !== null) take(keys, parked.asks.key, parked);
    },
    first(except) {
      let found: Parked<Answer> | null = null;
      for (const [kind, of] of kinds) {
        if (except.has(kind)) continue;
        const candidate = firstIdle(of);
        if (candidate === null) continue;
        if (found === null || (places.get(candidate) ?? 0) < (places.get(found) ?? 0)) found = candidate;
      }
      return found;
    },
    ofKey: (key) => [...(keys.get(key) ?? [])],
    all: () => [...places.keys()],
  };
}
