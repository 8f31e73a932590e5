import { readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type Batch, type BatchLimits, type BatchSource, readLines, SEGMENT_SUFFIX } from './read-lines.ts';

/** What a process that is no more had in its spool. A line that it was killed in the middle of is none: nobody was told that it stands. */
export class LeftOverSource implements BatchSource {
  readonly #paths: string[];
  #at = 0;

  constructor(folder: string) {
    const names = readdirSync(folder).filter((name) => name.endsWith(SEGMENT_SUFFIX));
    this.#paths = names.sort().map((name) => join(folder, name));
  }

  async next(limits: BatchLimits): Promise<Batch | null> {
    for (let path = this.#paths[0]; path !== undefined; path = this.#paths[0]) {
      const batch = await readLines(path, this.#at, statSync(path).size, limits);
      if (batch !== null) return batch;
      unlinkSync(path);
      this.#paths.shift();
      this.#at = 0;
    }
    return null;
  }

  answered({ bytes }: Batch): void {
    this.#at += bytes.length;
  }
}
