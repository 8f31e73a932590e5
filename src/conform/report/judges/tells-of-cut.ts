const OF_CUT =
  /cut (?:off|short)|truncat|incomplete|unfinished|interrupt|abort|too long|out of tokens|(?:token|length) limit|max(?:imum)?[_ ](?:new_)?(?:tokens|length)/i;

/** The text tells that an answer was not whole. */
export function tellsOfCut(text: string): boolean {
  return OF_CUT.test(text);
}
