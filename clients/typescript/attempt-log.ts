import { jsonText } from './event-json.ts';

/** Where events go. */
export interface EventSink {
  readonly producerId: string;
  /** Never the same one twice, whatever process asks. */
  nextEventId(): string;
  /** One line, in the operating system's hands when this returns. Never throws. */
  write(line: string): void;
  /** An event could not be written: it is counted. */
  lose(error: unknown): void;
}

export interface Identity {
  readonly run_id: string;
  readonly purpose: string;
  readonly env_name: string;
  readonly task_id: string;
  readonly epoch: number;
  readonly group_id: string | null;
  readonly group_size: number | null;
  readonly rollout_id: string;
  readonly attempt: number;
}

export interface Recording {
  /** JSON text of the record that the kind names. */
  readonly body: string;
  readonly segmentId?: string;
  readonly startedAtUs?: number | null;
  readonly durationUs?: number | null;
  readonly extra?: object | null;
}

/** The events of one attempt as lines, in the order of their seq. */
export class AttemptLog {
  readonly #sink: EventSink;
  readonly #head: string;
  #nextSeq = 0;

  constructor(identity: Identity, sink: EventSink) {
    this.#sink = sink;
    const source = { format: 'rollstream', version: 'typescript/1' };
    this.#head = JSON.stringify({ ...identity, producer_id: sink.producerId, source }).slice(0, -1);
  }

  /** An event with a place in the order of its attempt. One that is lost keeps its place: the gap is seen, and never trained over. */
  add(kind: string, build: () => Recording): void {
    this.#write(kind, this.#nextSeq++, build);
  }

  /** A verdict, or a phase after the end: ordered by arrival. */
  addUnordered(kind: string, build: () => Recording): void {
    this.#write(kind, null, build);
  }

  #write(kind: string, seq: number | null, build: () => Recording): void {
    try {
      const { body, segmentId, startedAtUs = null, durationUs = null, extra } = build();
      const now = Date.now() * 1000;
      const times = {
        started_at: startedAtUs ?? (durationUs === null ? null : Math.max(0, now - durationUs)),
        ended_at: now,
        duration_us: durationUs,
      };
      const facts = JSON.stringify({ segment_id: segmentId, seq, event_id: this.#sink.nextEventId(), kind, ...times });
      const added = extra === null || extra === undefined ? '' : `,"extra_json":${jsonText(extra)}`;
      this.#sink.write(`${this.#head},${facts.slice(1, -1)}${added},"${kind}":${body}}\n`);
    } catch (error) {
      this.#sink.lose(error);
    }
  }
}
