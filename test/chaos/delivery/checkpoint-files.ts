import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** One trajectory in the weights: its name, the digest of what the trainer saw, and where it was trained. */
export type TrainedOne = readonly [name: string, digest: string, step: number, lineage: number];

/** A trainer's whole state. Its weights are what they were trained on. */
export interface Checkpoint {
  readonly lineage: number;
  readonly step: number;
  readonly weights: readonly TrainedOne[];
  /** Leases that the weights hold and no ack was answered for. */
  readonly tokens: Readonly<Record<string, { readonly step: number; readonly offsets: readonly number[] }>>;
}

/** Below the number that the server keeps. */
const KEPT = 8;

/** Checkpoints of one trainer and of those that replace it. */
export interface CheckpointFiles {
  /** Whole or not at all, whenever the process dies. */
  save(checkpoint: Checkpoint): Promise<void>;
  /** Newest first: by lineage, then by step. */
  read(): Promise<Checkpoint[]>;
}

export function openCheckpointFiles(folder: string): CheckpointFiles {
  const names = async (): Promise<string[]> => {
    await mkdir(folder, { recursive: true });
    const found = (await readdir(folder)).filter((name) => /^\d+-\d+\.json$/.test(name));
    return found.sort((a, b) => orderOf(b) - orderOf(a));
  };
  return {
    async save(checkpoint) {
      const older = await names();
      const path = join(folder, `${checkpoint.lineage}-${checkpoint.step}.json`);
      const draft = `${path}.${process.pid}`;
      const file = await open(draft, 'w');
      await file.writeFile(JSON.stringify(checkpoint));
      await file.sync();
      await file.close();
      await rename(draft, path);
      for (const name of older.slice(KEPT)) await rm(join(folder, name), { force: true });
    },
    async read() {
      const texts = (await names()).map((name) => readFile(join(folder, name), 'utf8').catch(() => null));
      return (await Promise.all(texts)).flatMap((text): Checkpoint[] => (text === null ? [] : [JSON.parse(text)]));
    },
  };
}

function orderOf(name: string): number {
  const [lineage = 0, step = 0] = name.split(/[-.]/).map(Number);
  return lineage * 2 ** 24 + step;
}
