/** Some engines give an object, whose type says it in a word. */
export function finishWord(reason: string): string {
  const typed = /^\{.*"type":"(\w+)"/.exec(reason);
  return typed?.[1] ?? reason;
}
