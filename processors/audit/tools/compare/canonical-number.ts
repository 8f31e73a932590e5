/** One text for all spellings of a number, exactly: 1.0, 1 and 10e-1 are one; 9007199254740993 is not 9007199254740992. */
export function canonicalNumber(text: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return text;
  const [, sign = '', whole = '', part = '', power = '0'] = match;
  // No exponent of this length comes from a real value; it stays as it stands.
  if (power.length > 12) return text;
  const digits = withoutLeadingZeros(whole + part);
  if (digits === '') return '0';
  const end = lastNonZero(digits) + 1;
  const exponent = Number(power) - part.length + (digits.length - end);
  const kept = digits.slice(0, end);
  // Written out where it is short, since people read it.
  if (exponent >= 0 && exponent < 20) return sign + kept + '0'.repeat(exponent);
  if (exponent < 0 && exponent > -20) {
    const padded = kept.padStart(1 - exponent, '0');
    return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
  }
  return `${sign}${kept}e${exponent}`;
}

function withoutLeadingZeros(digits: string): string {
  let from = 0;
  while (digits[from] === '0') from += 1;
  return digits.slice(from);
}

function lastNonZero(digits: string): number {
  let at = digits.length - 1;
  while (digits[at] === '0') at -= 1;
  return at;
}
