import { closeSync, ftruncateSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Batch, type BatchLimits, type BatchSource, readLines, SEGMENT_SUFFIX } from './read-lines.ts';

export interface SpoolLimits {
  /** Of all that waits to be sent. Beyond it, events are lost, and counted. */
  readonly maxBytes: number;
  /** A file is deleted once all of it was answered; this is where the next one begins. */
  readonly segmentBytes: number;
}

interface Segment {
  readonly path: string;
  size: number;
  /** Bytes from the beginning that were answered. */
  answered: number;
}

/**
 * Lines in files that are only ever appended to. What append() returned true for is in the operating system's hands: it outlives
 * the process, whatever kills it, but not the machine (nothing is fsynced).
 */
export class Spool implements BatchSource {
  readonly #folder: string;
  readonly #limits: SpoolLimits;
  readonly #segments: Segment[] = [];
  #file: number | null = null;
  #opened = 0;

  constructor(folder: string, limits: SpoolLimits) {
    this.#folder = folder;
    this.#limits = limits;
  }

  /** Bytes that wait to be answered. */
  get pendingBytes(): number {
    return this.#segments.reduce((sum, { size, answered }) => sum + size - answered, 0);
  }

  /** false: there is no room. Throws where the disk refuses, and then nothing of the line is left. */
  append(line: string): boolean {
    const bytes = Buffer.from(line, 'utf8');
    const onDisk = this.#segments.reduce((sum, { size }) => sum + size, 0);
    if (onDisk + bytes.length > this.#limits.maxBytes) return false;
    const { file, segment } = this.#writable();
    try {
      let at = 0;
      while (at < bytes.length) at += writeSync(file, bytes, at);
      segment.size += bytes.length;
      return true;
    } catch (error) {
      this.#forgetTail(file, segment.size);
      throw error;
    }
  }

  async next(limits: BatchLimits): Promise<Batch | null> {
    const segment = this.#segments[0];
    if (segment === undefined || segment.answered === segment.size) return null;
    return readLines(segment.path, segment.answered, segment.size, limits);
  }

  answered({ bytes }: Batch): void {
    const segment = this.#segments[0];
    if (segment === undefined) return;
    segment.answered += bytes.length;
    if (segment.answered < segment.size) return;
    // One that is closed is never written to again: the next could not be opened, say.
    if (this.#segments.length > 1 || this.#file === null) {
      this.#segments.shift();
      unlinkSync(segment.path);
    } else {
      ftruncateSync(this.#file, 0);
      segment.size = 0;
      segment.answered = 0;
    }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #writable(): { file: number; segment: Segment } {
    const last = this.#segments.at(-1);
    if (this.#file !== null && last !== undefined && last.size < this.#limits.segmentBytes)
      return { file: this.#file, segment: last };
    this.close();
    const name = `${String(this.#opened++).padStart(9, '0')}${SEGMENT_SUFFIX}`;
    const segment = { path: join(this.#folder, name), size: 0, answered: 0 };
    const file = openSync(segment.path, 'a', 0o600);
    this.#file = file;
    this.#segments.push(segment);
    return { file, segment };
  }

  /** Part of a line must not become the beginning of the next. */
  #forgetTail(file: number, size: number): void {
    try {
      ftruncateSync(file, size);
    } catch {
      // The next line begins a file of its own; without its newline the torn one is no line.
      this.close();
    }
  }
}
