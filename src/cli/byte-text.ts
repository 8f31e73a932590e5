import { isUtf8 } from 'node:buffer';

/** Text where the bytes are text that a person can read, else null. */
export function readableText(bytes: Buffer): string | null {
  if (!isUtf8(bytes)) return null;
  const text = bytes.toString('utf8');
  return /[^\P{Cc}\t\n\r]/u.test(text) ? null : text;
}

const BYTES_A_LINE = 16;

/** As `hexdump -C` shows them. */
export function hexText(bytes: Buffer): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += BYTES_A_LINE) {
    const part = bytes.subarray(at, at + BYTES_A_LINE);
    const digits = [...part].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const letters = [...part].map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${digits.padEnd(3 * BYTES_A_LINE - 1)}  |${letters}|`);
  }
  return lines.join('\n');
}
