/** Characters of a report that are kept. */
const MOST_CHARACTERS = 16_000;

/** No longer than that, and such that it can be written down as UTF-8. */
export function boundedText(text: string, most = MOST_CHARACTERS): string {
  return (text.length > most ? `${text.slice(0, most)}…` : text).toWellFormed();
}
