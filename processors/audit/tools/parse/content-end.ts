const END_TOKENS = ['<|im_end|>', '<|endoftext|>', '<|eot_id|>', '<|eom_id|>', '<|user|>', '<|observation|>', '[EOS]'];

/** Where the text ends before the end tokens, which are no text of the model, and blanks. */
export function contentEnd(text: string): number {
  let end = text.length;
  for (;;) {
    while (end > 0 && isBlank(text, end - 1)) end -= 1;
    const last = text[end - 1];
    const token = last === '>' || last === ']' ? END_TOKENS.find((token) => text.endsWith(token, end)) : undefined;
    if (token === undefined) return end;
    end -= token.length;
  }
}

/** As `\s` has it, which few characters need to be asked. */
function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code <= 0x20 || code >= 0x80) && /\s/.test(text[at] ?? '');
}
