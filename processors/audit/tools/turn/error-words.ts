const MOST_CHARACTERS = 4_000;
/** Alternatives of plain words: nothing to backtrack into. */
const OF_CALLS = /pars|malform|invalid|json|correct|repair|syntax|not valid|argument|format|schema|错误|无效|解析/i;
const OF_EITHER = new RegExp(
  `${OF_CALLS.source}|error|exception|fail|refus|timed? ?out|unavailable|denied|unknown|illegal|unexpected|cannot|could not|traceback`,
  'i',
);

/** The text tells of an error in a call. */
export function tellsOfCall(text: string): boolean {
  return OF_CALLS.test(ends(text));
}

/** The text tells of any error. */
export function tellsOfError(text: string): boolean {
  return OF_EITHER.test(ends(text));
}

function ends(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1_000)} ${text.slice(-1_000)}`;
}
