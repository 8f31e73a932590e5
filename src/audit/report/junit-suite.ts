import type { ReportFile } from './report-file.ts';
import { xmlText } from './xml-text.ts';

/** A suite of JUnit XML, written case by case as it comes, in bounded memory. */
export interface JunitSuite {
  case(one: JunitCase): Promise<void>;
  /** Writes what is left; keeping the file is its owner's. */
  end(): Promise<void>;
}

export interface JunitCase {
  readonly className: string;
  readonly name: string;
  readonly result: 'pass' | 'fail' | 'skipped';
  /** What kind of failure. */
  readonly type?: string;
  /** Why it failed, or was skipped. */
  readonly message?: string;
  /** All that is to be told of it; empty: nothing. */
  readonly text: string;
}

/** Room for three counts, which are known at the end; blanks between attributes mean nothing in XML. */
const COUNTS_WIDTH = 96;
const BUFFER_CHARACTERS = 256 * 1024;

export function createJunitSuite({ handle: file }: Pick<ReportFile, 'handle'>, name: string): JunitSuite {
  const head = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n<testsuite name="${xmlText(name)}"`;
  let buffered = `${head}${' '.repeat(COUNTS_WIDTH)}>\n`;
  const counts = { tests: 0, failures: 0, skipped: 0 };

  async function flush(): Promise<void> {
    const text = buffered;
    buffered = '';
    await file.appendFile(text);
  }

  return {
    async case(one) {
      counts.tests++;
      if (one.result === 'fail') counts.failures++;
      if (one.result === 'skipped') counts.skipped++;
      buffered += caseText(one);
      if (buffered.length >= BUFFER_CHARACTERS) await flush();
    },
    async end() {
      buffered += '</testsuite>\n</testsuites>\n';
      await flush();
      const { tests, failures, skipped } = counts;
      const attributes = ` tests="${tests}" failures="${failures}" errors="0" skipped="${skipped}"`;
      await file.write(Buffer.from(attributes), 0, attributes.length, Buffer.byteLength(head));
    },
  };
}

function caseText({ className, name, result, type = '', message = '', text }: JunitCase): string {
  const head = `<testcase classname="${xmlText(className)}" name="${xmlText(name)}"`;
  const told = text === '' ? '' : `<system-out>${xmlText(text)}</system-out>`;
  switch (result) {
    case 'fail':
      return `${head}><failure type="${xmlText(type)}" message="${xmlText(message)}">${xmlText(text)}</failure></testcase>\n`;
    case 'skipped':
      return `${head}><skipped message="${xmlText(message)}"/>${told}</testcase>\n`;
    default:
      return told === '' ? `${head}/>\n` : `${head}>${told}</testcase>\n`;
  }
}
