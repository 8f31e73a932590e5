import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { DocumentProblem, Parsed } from '../../processors/model/taxonomy.ts';
import { suggestion } from '../config/nearest.ts';
import { RollstreamError } from '../errors.ts';
import { readYamlText } from './yaml-text.ts';

/** A document's text and where it is, for whoever has to mend it. */
export interface DocumentText {
  readonly text: string;
  readonly where: string;
}

/** A problem of a document, with the line it stands on. */
export interface DocumentFault {
  readonly where: string;
  readonly line: number | null;
  /** Path in the document; empty: the whole. */
  readonly path: string;
  /** The other place, where two contradict each other. */
  readonly other_line: number | null;
  readonly other_path: string | null;
  readonly expected: string;
  readonly got: string;
  readonly message: string;
}

export interface ReadDocument<T> {
  readonly value: T;
  /** The document as its YAML says it. */
  readonly plain: unknown;
  /** Its problems, by further rules than those of its own shape, with their lines. */
  faultsOf(problems: readonly DocumentProblem[]): DocumentFault[];
}

/** SHA-256 of the text, hex. */
export function documentIdOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A document's file. What is not UTF-8 is refused: its id would be the hash of another text than the file's. */
export async function readDocumentFile(file: string, where = file): Promise<DocumentText> {
  const bytes = await readFile(file).catch((cause) => {
    throw new RollstreamError('RS_CONFIG', `${file} cannot be read`, { cause });
  });
  const text = bytes.toString('utf8');
  const again = Buffer.from(text);
  if (again.equals(bytes)) return { text, where };
  const at = again.findIndex((byte, i) => byte !== bytes[i]);
  const line = bytes.subarray(0, at).filter((byte) => byte === NEWLINE).length + 1;
  throw new RollstreamError('RS_CONFIG', `${where}:${line}: not UTF-8`);
}

const NEWLINE = 0x0a;
const MOST_BYTES = 1_000_000;
/** Names compared with what is allowed; of thousands that takes seconds, and nobody reads them. */
const MOST_SUGGESTED = 100;

/** What is wrong with a text as such; null: nothing. */
function textProblem(text: string): DocumentProblem | null {
  const bytes = Buffer.from(text);
  if (bytes.length > MOST_BYTES)
    return { path: '', expected: `at most ${MOST_BYTES} bytes`, got: `${bytes.length} bytes` };
  // A lone surrogate, as JSON can write it.
  return bytes.toString() === text ? null : { path: '', expected: 'UTF-8', got: 'half a character' };
}

/** A policy or taxonomy from its text, or all that is wrong with it. */
export function readDocument<T>(
  { text, where }: DocumentText,
  read: (document: unknown, id: string) => Parsed<T>,
): ReadDocument<T> | readonly DocumentFault[] {
  const wrong = textProblem(text);
  if (wrong !== null) return [faultOf(where, wrong, `expected ${wrong.expected}, got ${wrong.got}`, null, null)];
  const yaml = readYamlText(text);
  if (!('value' in yaml))
    return yaml.map(({ line, otherLine, path, message }) =>
      faultOf(where, { path, expected: 'YAML', got: message }, message, line, otherLine),
    );
  const faultsOf = (problems: readonly DocumentProblem[]) =>
    problems.map((problem, i) => {
      const otherLine = problem.otherPath === undefined ? null : yaml.lineOf(problem.otherPath);
      const message = `expected ${problem.expected}, got ${problem.got}${i < MOST_SUGGESTED ? nearOf(problem) : ''}`;
      return faultOf(where, problem, message, yaml.lineOf(problem.path), otherLine);
    });
  const result = read(yaml.value, documentIdOf(text));
  return result.kind === 'ok' ? { value: result.value, plain: yaml.value, faultsOf } : faultsOf(result.problems);
}

/** The same for what must be usable: RS_CONFIG names the first problems. */
export function mustRead<T>(
  document: DocumentText,
  read: (document: unknown, id: string) => Parsed<T>,
): ReadDocument<T> {
  const result = readDocument(document, read);
  if ('value' in result) return result;
  throw refusal(result);
}

const MOST_NAMED = 5;

export function refusal(faults: readonly DocumentFault[]): RollstreamError {
  const named = faults.slice(0, MOST_NAMED).map(({ message }) => message);
  const more = faults.length > MOST_NAMED ? `; and ${faults.length - MOST_NAMED} more` : '';
  const first = faults[0];
  return new RollstreamError('RS_CONFIG', `${named.join('; ')}${more}`, {
    facts: first === undefined ? {} : { field: first.path },
  });
}

function faultOf(
  where: string,
  { path, otherPath, expected, got }: DocumentProblem,
  text: string,
  line: number | null,
  otherLine: number | null,
): DocumentFault {
  const place = line === null ? where : `${where}:${line}`;
  const other =
    otherLine === null ? '' : ` (the other is at line ${otherLine}${otherPath === undefined ? '' : `, ${otherPath}`})`;
  return {
    where,
    line,
    path,
    other_line: otherLine,
    other_path: otherPath ?? null,
    expected,
    got,
    message: `${place}: ${path === '' ? '' : `${path}: `}${text}${other}`,
  };
}

function nearOf({ got, allowed }: DocumentProblem): string {
  return allowed === undefined ? '' : suggestion(got.replace(/^"(.*)"$/, '$1'), allowed);
}
