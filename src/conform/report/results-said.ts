import { scanJson } from '../../../processors/audit/tools/parse/scan-json.ts';

/** What others than the model say after an answer: a message of a chat, or a turn of a template. */
export interface SaidAfter {
  /** null: it stands in no turn. */
  readonly role: string | null;
  readonly text: string;
}

export interface ResultsSaid {
  readonly results: readonly string[];
  /** Nothing else is said that may be a result: where none is read, there is none. */
  readonly isAllRead: boolean;
  /** What is said without the results. */
  readonly besides: string;
}

const TOOL_ROLES = ['tool', 'function', 'observation', 'ipython'];
const TAGGED = /<tool_response>\s*(.*?)\s*(?:<\/tool_response>|(?=<tool_response>)|$)/gs;
const ECHO_HEAD = /executed [\w.-]+ (?=\{)/g;
const LABEL =
  /^\s*(?:(?:tool|function|call) )?(?:observation|result|response|output)s?(?: (?:of|from) [\w.-]+| \d+)?\s*:\s*/im;
const MARKUP = /<[^<>\n]*>/g;
/** What leads to a result: `Result 1:`. */
const LEADING = /[^\n:.]{1,40}:/g;

/** A loop of one's own answers in the role that it likes: a result is told by its text, and only a tool's own role speaks for itself. */
export function resultsSaid(said: readonly SaidAfter[]): ResultsSaid {
  const read = said.map(({ role, text }) => {
    const within = resultsWithin(text);
    if (role === null || !TOOL_ROLES.includes(role)) return within;
    return within.results.length === 1 ? within : { results: [text], besides: '' };
  });
  const besides = read.map((one) => one.besides).join('\n');
  return {
    results: read.flatMap(({ results }) => results),
    isAllRead: !/[\p{L}\p{N}]/u.test(besides.replaceAll(MARKUP, ' ')),
    besides,
  };
}

function resultsWithin(text: string): Pick<ResultsSaid, 'results' | 'besides'> {
  const tagged = Array.from(text.matchAll(TAGGED), ([, result]) => result ?? '');
  if (tagged.length > 0) return { results: tagged, besides: text.replaceAll(TAGGED, ' ') };
  const echoes = echoesIn(text);
  if (echoes.length > 0) {
    const rest = echoes.reduce((left, echo) => left.replace(echo, () => '\n'), text);
    return { results: echoes, besides: rest.replaceAll(MARKUP, ' ').replaceAll(LEADING, ' ') };
  }
  const label = LABEL.exec(text);
  if (label?.index !== 0) return { results: [], besides: text };
  const result = text.slice(label[0].length).trim();
  return { results: [result], besides: LABEL.test(result) ? result : '' };
}

/** Whatever stands around them: `executed NAME {…}`, the arguments as JSON. */
function echoesIn(text: string): string[] {
  const found: string[] = [];
  let end = 0;
  for (const { index, 0: head } of text.matchAll(ECHO_HEAD)) {
    if (index < end) continue;
    const from = index + head.length;
    const scan = scanJson(text, from, text.length);
    if (scan.kind !== 'ok') continue;
    end = scan.end;
    found.push(text.slice(index, end));
  }
  return found;
}
