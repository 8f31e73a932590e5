const MOST_CHARACTERS = 4_000;
/** Alternatives of plain words: nothing to backtrack into. */
const OF_CALLS = /pars|malform|invalid|json|correct|repair|syntax|not valid|argument|format|schema|错误|无效|解析/i;
const OF_ERRORS =
  /error|exception|fail|refus|timed? ?out|unavailable|denied|unknown|illegal|unexpected|cannot|could not|traceback/i;

/** The text tells of an error in a call. */
export function tellsOfCall(text: string): boolean {
  return OF_CALLS.test(ends(text));
}

/** The text tells of any error. */
export function tellsOfError(text: string): boolean {
  const part = ends(text);
  return OF_ERRORS.test(part) || OF_CALLS.test(part);
}

function ends(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1_000)} ${text.slice(-1_000)}`;
}
