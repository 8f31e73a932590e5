import { RollstreamError } from '../errors.ts';

/**
 * The words of a command line, as a POSIX shell quotes them: '…' as it is, "…" with \" and \\, \ before anything. Nothing is expanded
 * and no shell is started: who wants one writes `sh -c '…'`.
 */
export function splitCommand(text: string): string[] {
  const words: string[] = [];
  // null: between words. '' is a word where quotes made it.
  let word: string | null = null;
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "'" || character === '"') {
      const quoted: { content: string; end: number } = quotedFrom(text, at, character);
      word = (word ?? '') + quoted.content;
      at = quoted.end;
    } else if (character === '\\') {
      at += 1;
      if (at === text.length) throw unfinished('ends with a backslash');
      word = (word ?? '') + text.charAt(at);
    } else if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? '') + character;
  }
  if (word !== null) words.push(word);
  return words;
}

function quotedFrom(text: string, begin: number, quote: string): { content: string; end: number } {
  let content = '';
  for (let at = begin + 1; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === quote) return { content, end: at };
    const isEscape = quote === '"' && character === '\\' && '"\\'.includes(text.charAt(at + 1) || ' ');
    if (isEscape) at += 1;
    content += text.charAt(at);
  }
  throw unfinished(`has a ${quote} that is not closed`);
}

function unfinished(problem: string): RollstreamError {
  return new RollstreamError('RS_USAGE', `verifier: the command ${problem}`, { facts: { field: 'verifier' } });
}
