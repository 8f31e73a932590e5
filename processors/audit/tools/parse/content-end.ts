const END_TOKENS = ['<|im_end|>', '<|endoftext|>', '<|eot_id|>', '<|eom_id|>', '<|user|>', '<|observation|>', '[EOS]'];

/** Where the text ends before the end tokens, which are no text of the model, and blanks. */
export function contentEnd(text: string): number {
  let end = text.length;
  for (;;) {
    while (end > 0 && /\s/.test(text[end - 1] ?? '')) end -= 1;
    const token = END_TOKENS.find((candidate) => text.endsWith(candidate, end));
    if (token === undefined) return end;
    end -= token.length;
  }
}
