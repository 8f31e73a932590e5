/** Text within XML 1.0: what it cannot hold (control characters, half characters) is written out as it would be in JSON. */
export function xmlText(text: string): string {
  return text.replace(/[&<>"'\p{Cc}\p{Cs}\ufffe\uffff]/gu, (character) => {
    const entity = ENTITIES[character];
    if (entity !== undefined) return entity;
    const code = character.charCodeAt(0);
    return code === 0x09 || code === 0x0a ? `&#${code};` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
