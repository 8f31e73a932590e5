import { open } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { EngineSettings } from '../../src/audit/audit-engine.ts';
import { auditFiles } from '../../src/audit/audit-files.ts';
import { createAuditIntake } from '../../src/audit/audit-intake.ts';
import { createWorkerRunner } from '../../src/audit/worker-runner.ts';
import { packageFile } from '../../src/config/package-file.ts';
import { readDocumentFile } from '../../src/lanes/read-document.ts';
import type { Figure, Size } from './bench.ts';
import { spentOn } from './rounds.ts';
import { nemoLine, strandsLine } from './sample-lines.ts';
import { spreadOf } from './spread.ts';
import { inTemporaryFolder } from './temporary-folder.ts';

const MB = 1e6;
const SHAPES = [
  { name: 'strands-env', lineOf: strandsLine, id: (n: number) => `"id":"p${n >> 2}_${n % 4}"` },
  { name: 'nemo-gym', lineOf: nemoLine, id: (n: number) => `"_ng_task_index":${n >> 2}` },
];

/** A file of many whole attempts through all audits that need no tokenizer, in as many threads as there are cores. */
export async function auditOffline(size: Size): Promise<Figure[]> {
  const bytes = size === 'full' ? 1000 * MB : 5 * MB;
  const engine: EngineSettings = {
    taxonomy: await readDocumentFile(packageFile('processors/taxonomy/taxonomy.yaml')),
    reorderEvents: 256,
    tokenizerFolders: [],
    sample: null,
  };
  const figures: Figure[] = [];
  for (const shape of SHAPES)
    figures.push(
      await inTemporaryFolder(async (folder) => {
        const file = join(folder, 'results.jsonl');
        const { lines, parseS } = await writeLines(file, shape, bytes);
        return figureOf(shape.name, file, engine, { bytes, lines, parseS });
      }),
    );
  return figures;
}

interface Written {
  readonly bytes: number;
  readonly lines: number;
  /** CPU seconds that JSON.parse alone takes on them. */
  readonly parseS: number;
}

async function figureOf(name: string, file: string, engine: EngineSettings, written: Written): Promise<Figure> {
  const threads = availableParallelism();
  let attempts = 0;
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 50);
  const intake = createAuditIntake({
    sample: null,
    message: (text) => process.stderr.write(`${text}\n`),
    attempt: async () => {
      attempts++;
    },
  });
  const { wallS, cpuS } = await spentOn(() =>
    auditFiles(
      [file],
      {},
      {
        intake,
        openRunner: async () => createWorkerRunner(engine, threads),
        progress: () => undefined,
        stdin: process.stdin,
        stopped: new AbortController().signal,
      },
    ),
  );
  clearInterval(watch);
  if (attempts !== written.lines) throw new Error(`${attempts} attempts of ${written.lines} lines`);
  const rate = written.bytes / MB / wallS;
  return {
    name: `audit of a file, ${name}`,
    value: spreadOf([rate]),
    unit: 'MB/s',
    yardstick: { name: 'JSON.parse, one core', value: spreadOf([written.bytes / MB / written.parseS]) },
    ratio: written.parseS / cpuS,
    target: { text: '≥ 50 MB/s on two cores, memory < 1 GB', met: rate >= 50 && peak < 1e9 },
    notes: [
      `${Math.round(written.bytes / MB)} MB, ${attempts} attempts, ${threads} threads`,
      `${(written.bytes / MB / cpuS).toFixed(0)} MB a CPU second, at most ${Math.round(peak / MB)} MB of memory`,
    ],
  };
}

/** Lines of the same few contents, each with an id of its own. */
async function writeLines(path: string, { lineOf, id }: (typeof SHAPES)[number], bytes: number): Promise<Written> {
  const contents = Array.from({ length: 16 }, (_, n) => JSON.stringify(lineOf(n)));
  const { cpuS } = await spentOn(() => {
    for (const content of contents) JSON.parse(content);
  });
  const parsed = contents.reduce((sum, content) => sum + content.length, 0);
  const file = await open(path, 'w');
  let written = 0;
  let lines = 0;
  for (; written < bytes; lines++) {
    const content = contents[lines % contents.length] ?? '';
    const line = `${content.replace(id(lines % contents.length), id(lines))}\n`;
    await file.appendFile(line);
    written += line.length;
  }
  await file.close();
  return { bytes: written, lines, parseS: (cpuS * written) / parsed };
}
